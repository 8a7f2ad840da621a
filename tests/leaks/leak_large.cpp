// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:1048576
// A mebibyte in each step.
#include "leaks.h"
PLACE static void keep() { *(char*)malloc(1 << 20) = 1; }

static void step(long) {
    work(20);
    keep();
}

int main(void) {
    run_steps(300, step);
    return 0;
}
