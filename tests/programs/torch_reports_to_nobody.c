// truth: oracle
// run: manual
// A weak reference to the function that PyTorch's allocators call, in a program without PyTorch.
#include <stdint.h>

#include "support.h"

// c10::Device, as it lies in a register.
struct device {
    int8_t type, index;
};

void report(void* block, int64_t size, size_t allocated, size_t reserved,
            struct device device) __asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE")
    __attribute__((weak));

int main(void) {
    const struct device gpu = {1, 0};
    for (int i = 0; report != NULL && i < 3; ++i) {
        report((void*)0x1000, i == 1 ? -512 : 512, 1, 2, gpu);
    }
    say("done\n");
    return 0;
}
