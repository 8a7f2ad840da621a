// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:64
// A block of 64 bytes in each step.
#include "leaks.h"
PLACE static void keep() { memset(malloc(64), 1, 64); }

static void step(long) {
    work(10);
    keep();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
