// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep
// The number of blocks that a step keeps grows, too.
#include "leaks.h"
PLACE static void keep() { memset(malloc(32), 1, 32); }

static void step(long i) {
    work(10);
    for (long k = 0; k < 1 + i / 400; ++k) keep();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
