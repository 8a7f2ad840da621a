// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:32
// Twenty blocks in one step of forty.
#include "leaks.h"
PLACE static void keep() { memset(malloc(64), 1, 64); }

static void step(long i) {
    work(10);
    if (i % 40 == 39)
        for (int k = 0; k < 20; ++k) keep();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
