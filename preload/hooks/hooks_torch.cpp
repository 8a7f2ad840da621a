// SPDX-License-Identifier: Apache-2.0
//
// Hooks for PyTorch's caching allocators. libc10_cuda.so, and the allocators of other devices,
// report each block that they hand out or take back to libc10.so. The reports are for PyTorch's own
// profiler and come even if it does not run. The calls go from one library to another and so reach
// these hooks.
//
//   * The allocator holds the lock of its device meanwhile. So reports of a device come in the
//     order of events, and nothing here may wait.
//   * A release is reported when it is requested. A block that another stream still uses is not
//     handed out again until that stream is done with it.
//   * Host memory is left out. PyTorch takes it from malloc and mmap, which have recorded it.
//   * The driver's memory for a segment is recorded before the blocks that are cut from it, because
//     the allocator calls the driver first.
//   * The call is always passed on, last and as a jump. So no frame of the shim is in the stacks of
//     what PyTorch's profiler allocates then.
#include <sys/types.h>

#include "preload/base/fixed_text.h"
#include "preload/hooks/hook_support.h"
#include "preload/loader/next_definition.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// c10::Device as it lies in a register.
struct Device {
    int8_t type;   // c10::DeviceType
    int8_t index;  // -1: the current device; no allocator reports this
};
constexpr int8_t host_memory = 0;

// Shared by all three functions. `size` is negative if the block is released.
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

// Without the shim, the name would have led nowhere.
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

// The same report before PyTorch 1.12, without the allocator's own totals.
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
