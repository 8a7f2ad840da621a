// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx_names.h"

#include <atomic>
#include <cstring>

#include "preload/sys.h"

namespace memtrace::preload::nvtx {
namespace {

constexpr size_t room_bytes = size_t{1} << 20;
constexpr size_t name_bytes_max = 4096;
constexpr size_t foreign_max = 1024;
constexpr size_t alignment = 8;

// `length` is stored last: a handle whose length is 0 has no name yet, or is none.
struct Name {
    std::atomic<uint32_t> length;
    char                  text[4];
};

struct Foreign {
    std::atomic<const void*> handle;
    std::atomic<const Name*> name;
};

std::atomic<char*>   room{nullptr};  // mapped when the first name comes
std::atomic<size_t>  used{0};
constinit Foreign    foreign[foreign_max];

struct NoRoom {
    std::atomic<uint32_t> length{9};
    char                  text[12] = "(no room)";
};
constinit NoRoom no_room;

char* find_room() { return sys::map_once(room, room_bytes); }

size_t home_of(const void* handle) {
    return reinterpret_cast<uintptr_t>(handle) * 0x9e3779b97f4a7c15u >> 54;
}
static_assert(foreign_max == size_t{1} << 10);

std::string_view text_of(const void* name) {
    const auto* found = static_cast<const Name*>(name);
    return {found->text, found->length.load(std::memory_order_acquire)};
}

}  // namespace

const void* add_name(std::string_view name) {
    if (name.empty()) name = " ";
    name = name.substr(0, name_bytes_max);
    char* const begin = find_room();
    const size_t bytes =
        (sizeof(std::atomic<uint32_t>) + name.size() + alignment - 1) & ~(alignment - 1);
    if (begin == nullptr || used.load(std::memory_order_relaxed) > room_bytes - bytes) {
        return &no_room;
    }
    const size_t place = used.fetch_add(bytes, std::memory_order_relaxed);
    if (place > room_bytes - bytes) return &no_room;
    auto* const added = reinterpret_cast<Name*>(begin + place);
    std::memcpy(added->text, name.data(), name.size());
    added->length.store(static_cast<uint32_t>(name.size()), std::memory_order_release);
    return added;
}

bool is_own_name(const void* handle) {
    const auto address = reinterpret_cast<uintptr_t>(handle);
    const auto begin = reinterpret_cast<uintptr_t>(room.load(std::memory_order_acquire));
    if (handle == &no_room) return true;
    return begin != 0 && address - begin < used.load(std::memory_order_relaxed) &&
           address % alignment == 0;
}

void remember_name(const void* foreign_handle, std::string_view name) {
    if (foreign_handle == nullptr) return;
    const auto* const added = static_cast<const Name*>(add_name(name));
    for (size_t step = 0; step < foreign_max; ++step) {
        Foreign& entry = foreign[(home_of(foreign_handle) + step) % foreign_max];
        const void* expected = nullptr;
        if (entry.handle.compare_exchange_strong(expected, foreign_handle,
                                                 std::memory_order_acq_rel) ||
            expected == foreign_handle) {
            return entry.name.store(added, std::memory_order_release);
        }
    }
}

std::string_view name_of(const void* handle) {
    if (handle == nullptr) return {};
    if (is_own_name(handle)) {
        const std::string_view text = text_of(handle);
        // Ours, but not where a name begins: the length may be anything.
        return text.size() <= name_bytes_max ? text : std::string_view();
    }
    for (size_t step = 0; step < foreign_max; ++step) {
        const Foreign& entry = foreign[(home_of(handle) + step) % foreign_max];
        const void* const known = entry.handle.load(std::memory_order_acquire);
        if (known == nullptr) return {};
        const Name* const name = entry.name.load(std::memory_order_acquire);
        if (known == handle) return name == nullptr ? std::string_view() : text_of(name);
    }
    return {};
}

}  // namespace memtrace::preload::nvtx
