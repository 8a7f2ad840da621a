// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch requests from the driver beside memory: the abilities of a device, descriptions of
// errors, and work on memory, although nothing is behind the addresses.
#include <cstddef>
#include <cstdint>

#define DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int success = 0, not_supported = 801;

// CU_DEVICE_ATTRIBUTE_…
constexpr int virtual_memory = 102, memory_pools = 115;

}  // namespace

DOUBLE_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == virtual_memory || attribute == memory_pools ? 1 : 0;
    return success;
}

DOUBLE_EXPORT int cuGetErrorString(int, const char** text) {
    *text = "an error of the driver's double";
    return success;
}

DOUBLE_EXPORT int cuMemsetD32Async(uint64_t, unsigned, size_t, void*) { return success; }

DOUBLE_EXPORT int cuStreamWriteValue32_v2(void*, uint64_t, uint32_t, unsigned) {
    return not_supported;
}

DOUBLE_EXPORT int cuDeviceSetGraphMemAttribute(int, int, void*) { return success; }
