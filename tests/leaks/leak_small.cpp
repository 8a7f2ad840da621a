// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:0.016
// 16 bytes in 1,000 steps, among a million allocations.
#include "leaks.h"
PLACE static void* keep() { return malloc(16); }

static void step(long i) {
    work(50);
    if (i % 1000 == 500) *(void* volatile*)keep() = nullptr;
}

int main(void) {
    run_steps(20000, step);
    return 0;
}
