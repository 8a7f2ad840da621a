// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep
// In one step of ten, at random, a block of random size.
#include "leaks.h"
PLACE static void keep() { *(char* volatile)malloc(1 + random_below(999)) = 1; }

static void step(long) {
    work(10);
    if (random_below(10) == 0) keep();
}

int main(void) {
    run_steps(3000, step);
    return 0;
}
