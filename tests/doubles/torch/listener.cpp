// SPDX-License-Identifier: Apache-2.0
//
// Another tool that stands in front of libc10.so, preloaded. It counts the calls, prints the counts
// at the end, and passes on what it can.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>

#include "tests/doubles/torch/c10.h"

namespace {

std::atomic<unsigned> heard{0};

struct Speaker {
    ~Speaker() { std::printf("the listener heard %u reports\n", heard.load()); }
} speaker;

}  // namespace

TORCH_DOUBLE void c10::reportMemoryUsageToProfiler(void* ptr, int64_t alloc_size,
                                                   size_t total_allocated, size_t total_reserved,
                                                   Device device) {
    ++heard;
    using Report = void(void*, int64_t, size_t, size_t, Device);
    constexpr const char* name = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";
    if (auto* const next = reinterpret_cast<Report*>(dlsym(RTLD_NEXT, name))) {
        next(ptr, alloc_size, total_allocated, total_reserved, device);
    }
}
