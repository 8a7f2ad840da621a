// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx/nvtx_names.h"

#include <cstring>

#include "preload/base/sys.h"

namespace memtrace::preload::nvtx {
namespace {

constexpr size_t name_bytes_max = 4096;
constexpr size_t alignment = 8;

}  // namespace

// Smaller than a huge page. In a larger mapping, the first name would occupy a huge page.
constinit Names names(size_t{1} << 20);

constinit Names::Name Names::no_room_{9, "(no room)"};

size_t Names::home_of(const void* handle) {
    static_assert(foreign_max == size_t{1} << 10);
    return reinterpret_cast<uintptr_t>(handle) * 0x9e3779b97f4a7c15u >> 54;
}

std::string_view Names::text_of(const Name* name) {
    if (name == nullptr) return {};
    const uint32_t length = name->length.load(std::memory_order_acquire);
    // A forged handle may point into the middle of a name, so the length may have any value.
    return length <= name_bytes_max ? std::string_view(name->text, length) : std::string_view();
}

const void* Names::add(std::string_view name) {
    name = name.substr(0, name_bytes_max);
    char* const begin = sys::map_once(room_, room_bytes_);
    const size_t bytes = (offsetof(Name, text) + name.size() + alignment - 1) & ~(alignment - 1);
    if (begin == nullptr || used_.load(std::memory_order_relaxed) > room_bytes_ - bytes) {
        return &no_room_;
    }
    const size_t place = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (place > room_bytes_ - bytes) return &no_room_;
    auto* const added = reinterpret_cast<Name*>(begin + place);
    std::memcpy(added->text, name.data(), name.size());
    added->length.store(static_cast<uint32_t>(name.size()), std::memory_order_release);
    return added;
}

bool Names::is_own(const void* handle) const {
    if (handle == &no_room_) return true;
    const auto address = reinterpret_cast<uintptr_t>(handle);
    const auto begin = reinterpret_cast<uintptr_t>(room_.load(std::memory_order_acquire));
    return begin != 0 && address - begin < used_.load(std::memory_order_relaxed) &&
           address - begin < room_bytes_ && address % alignment == 0;
}

void Names::remember(const void* foreign_handle, std::string_view name) {
    if (foreign_handle == nullptr) return;
    const auto* const added = static_cast<const Name*>(add(name));
    for (size_t step = 0; step < foreign_max; ++step) {
        Foreign& entry = foreign_[(home_of(foreign_handle) + step) % foreign_max];
        const void* expected = nullptr;
        if (entry.handle.compare_exchange_strong(expected, foreign_handle,
                                                 std::memory_order_acq_rel) ||
            expected == foreign_handle) {
            return entry.name.store(added, std::memory_order_release);
        }
    }
}

std::string_view Names::name_of(const void* handle) const {
    if (handle == nullptr) return {};
    if (handle == &no_room_) return text_of(&no_room_);
    if (is_own(handle)) {
        const std::string_view text = text_of(static_cast<const Name*>(handle));
        const char* const end = room_.load(std::memory_order_relaxed) + room_bytes_;
        return text.data() + text.size() <= end ? text : std::string_view();
    }
    for (size_t step = 0; step < foreign_max; ++step) {
        const Foreign& entry = foreign_[(home_of(handle) + step) % foreign_max];
        const void* const known = entry.handle.load(std::memory_order_acquire);
        if (known == nullptr) return {};
        if (known == handle) return text_of(entry.name.load(std::memory_order_acquire));
    }
    return {};
}

}  // namespace memtrace::preload::nvtx
