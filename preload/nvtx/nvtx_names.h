// SPDX-License-Identifier: Apache-2.0
//
// Names that a program registers once and then refers to by handles: domains, and their strings. A
// handle given out by the shim is the address of its name here. For a handle that another tool gave
// out, the name is remembered.
//
//   * Any thread may call at any time. Nothing waits, and nothing is ever freed.
//   * A program may pass anything as a handle, so a handle is checked before it is followed.
//   * When the room is used up, further names are "(no room)".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memtrace::preload::nvtx {

class Names {
public:
    explicit constexpr Names(size_t room_bytes) : room_bytes_(room_bytes) {}

    // Returns a handle for this name. Never nullptr.
    const void* add(std::string_view name);

    // True if the shim gave out the handle.
    bool is_own(const void* handle) const;

    // From now on, the handle of another tool means this name.
    void remember(const void* foreign_handle, std::string_view name);

    // Returns the name of a handle, own or remembered, or an empty text if it is not known.
    std::string_view name_of(const void* handle) const;

private:
    static constexpr size_t foreign_max = 1024;

    // `length` is stored last; until then the name is empty.
    struct Name {
        std::atomic<uint32_t> length;
        char text[12];
    };
    struct Foreign {
        std::atomic<const void*> handle;
        std::atomic<const Name*> name;
    };
    static std::string_view text_of(const Name* name);
    static size_t home_of(const void* handle);

    static constinit Name no_room_;

    size_t room_bytes_;
    std::atomic<char*> room_{nullptr};  // mapped for the first name
    std::atomic<size_t> used_{0};
    Foreign foreign_[foreign_max] = {};
};

extern Names names;

}  // namespace memtrace::preload::nvtx
