// SPDX-License-Identifier: Apache-2.0
//
// libc10.so: PyTorch's profiler. It only counts what is reported.
#include "tests/doubles/torch/c10.h"

#include <atomic>

namespace {

std::atomic<int64_t> bytes_arrived{0};
std::atomic<uint64_t> reports_arrived{0};
std::atomic<uint64_t> refusals_arrived{0};

}  // namespace

void c10::reportMemoryUsageToProfiler(void*, int64_t alloc_size, size_t, size_t, Device) {
    bytes_arrived += alloc_size;
    ++reports_arrived;
}

void c10::reportMemoryUsageToProfiler(void*, int64_t alloc_size, Device) {
    bytes_arrived += alloc_size;
    ++reports_arrived;
}

void c10::reportOutOfMemoryToProfiler(int64_t, size_t, size_t, Device) { ++refusals_arrived; }

void double_c10_arrived(int64_t* bytes, uint64_t* reports, uint64_t* refusals) {
    *bytes = bytes_arrived;
    *reports = reports_arrived;
    *refusals = refusals_arrived;
}
