// run: manual libraries=double-libcuda
// Ends by exit() while threads take and give memory of the device.
#include <atomic>
#include <thread>

#include <stdio.h>
#include <stdlib.h>

#include "tests/programs/gpu_functions.h"

using namespace gpu;

int main() {
    Handle context = nullptr;
    if (cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, 0) != 0) return 1;
    static std::atomic<int> rounds{0};
    for (int t = 0; t < 3; ++t) {
        std::thread([context] {
            cuCtxSetCurrent(context);
            for (;; ++rounds) {
                DevicePointer address = 0;
                if (cuMemAlloc_v2(&address, 4096) == 0) cuMemFree_v2(address);
            }
        }).detach();
    }
    while (rounds < 1000) {
    }
    printf("enough\n");
    exit(0);
}
