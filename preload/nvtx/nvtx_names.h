// SPDX-License-Identifier: Apache-2.0
//
// Names that a program registers once and then means by a handle: domains, and strings of them. A
// handle that we give out is the place of its name here. Where another tool gives out its own, we
// remember which name it stands for.
//
//   * Any thread, at any time; nothing waits, and nothing is ever taken back.
//   * What a program passes as a handle may be anything: it is looked at before it is followed.
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

    // A handle for this name. Never nullptr.
    const void* add(std::string_view name);

    // Whether the handle is one of ours.
    bool is_own(const void* handle) const;

    // From now on somebody else's handle means this name.
    void remember(const void* foreign_handle, std::string_view name);

    // The name of a handle, ours or remembered; empty: not known.
    std::string_view name_of(const void* handle) const;

private:
    static constexpr size_t foreign_max = 1024;

    // `length` is stored last: until then the name is empty.
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
    std::atomic<char*> room_{nullptr};  // mapped when the first name comes
    std::atomic<size_t> used_{0};
    Foreign foreign_[foreign_max] = {};
};

extern Names names;

}  // namespace memtrace::preload::nvtx
