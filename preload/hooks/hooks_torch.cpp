// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's caching allocators: libc10_cuda.so, and those of other devices, tell libc10.so about
// each block that they hand out or take back, for PyTorch's own profiler, whether it runs or not.
// The call goes from one library to another, and so comes by here.
//
//   * The allocator holds the lock of its device meanwhile: reports of a device come in the order
//     in which things happened, and nothing here may wait for anybody.
//   * A release is reported when it is asked for. A block that another stream still uses is
//     given to nobody else until that is done with it.
//   * Memory of the host is left out. PyTorch takes it from malloc and mmap, which have seen it.
//   * What the driver gave for a segment is recorded before the blocks that are cut from it,
//     because the allocator asks the driver first.
//   * Always passed on, as the last thing and as a jump: no frame of ours is in the stacks of what
//     PyTorch's profiler allocates then.
#include <sys/types.h>

#include "preload/base/fixed_text.h"
#include "preload/hooks/hook_support.h"
#include "preload/loader/next_definition.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// As c10::Device lies in a register.
struct Device {
    int8_t type;   // c10::DeviceType
    int8_t index;  // -1: the current one, which no allocator says
};
constexpr int8_t host_memory = 0;

// The same of all three functions. `size` is negative where a block goes back.
void record_block(const void* block, int64_t size, uint64_t allocated, uint64_t reserved,
                  Device device, const void* frame) {
    if (device.type == host_memory) return;
    const auto address = reinterpret_cast<uint64_t>(block);
    const auto type = static_cast<uint8_t>(device.type);
    const auto index = static_cast<uint8_t>(device.index);
    if (size > 0) {
        record_tensor_acquire({.size = static_cast<uint64_t>(size),
                               .address = address,
                               .device_type = type,
                               .device = index,
                               .allocated = allocated,
                               .reserved = reserved},
                              frame);
    } else if (size < 0) {
        record_tensor_release({.size = -static_cast<uint64_t>(size),
                               .address = address,
                               .device_type = type,
                               .device = index,
                               .allocated = allocated,
                               .reserved = reserved});
    }
}

// Without us the name would have led nowhere.
void note_dead_end(const char* function) {
    static std::atomic<bool> is_noted{false};
    if (is_noted.exchange(true, std::memory_order_relaxed)) return;
    FixedText<300> text("no library defines ");
    text << function << ": reports of PyTorch's allocator are recorded, and passed on to nobody.";
    record_note("torch", text.view());
}

}  // namespace

#define MEMTRACE_NEXT(function)                                                        \
    static constinit NextDefinition next(#function);                                   \
    auto* const real =                                                                 \
        reinterpret_cast<decltype(&function)>(next.find(__builtin_return_address(0))); \
    if (real == nullptr) [[unlikely]]                                                  \
    return note_dead_end(#function)

// void c10::reportMemoryUsageToProfiler(void* ptr, int64_t alloc_size, size_t total_allocated,
//                                       size_t total_reserved, c10::Device device)
MEMTRACE_EXPORT void _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE(
    void* block, int64_t size, size_t allocated, size_t reserved, Device device) {
    record_block(block, size, allocated, reserved, device, MEMTRACE_FRAME);
    MEMTRACE_NEXT(_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE);
    real(block, size, allocated, reserved, device);
}

// The same before PyTorch 1.12, without the allocator's own count.
MEMTRACE_EXPORT void _ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE(void* block, int64_t size,
                                                                         Device device) {
    record_block(block, size, 0, 0, device, MEMTRACE_FRAME);
    MEMTRACE_NEXT(_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE);
    real(block, size, device);
}

// void c10::reportOutOfMemoryToProfiler(int64_t alloc_size, size_t total_allocated,
//                                       size_t total_reserved, c10::Device device)
MEMTRACE_EXPORT void _ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE(int64_t size,
                                                                         size_t allocated,
                                                                         size_t reserved,
                                                                         Device device) {
    if (device.type != host_memory) {
        record_tensor_refused({.size = static_cast<uint64_t>(size),
                               .device_type = static_cast<uint8_t>(device.type),
                               .device = static_cast<uint8_t>(device.index),
                               .allocated = allocated,
                               .reserved = reserved},
                              MEMTRACE_FRAME);
    }
    MEMTRACE_NEXT(_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE);
    real(size, allocated, reserved, device);
}
