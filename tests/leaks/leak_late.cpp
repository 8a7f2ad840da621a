// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:48
// Nothing until 70 % of the run, then 48 bytes in each step.
#include "leaks.h"
PLACE static void keep() { memset(malloc(48), 1, 48); }

static void step(long i) {
    work(10);
    if (i >= 1400) keep();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
