// SPDX-License-Identifier: Apache-2.0
// truth: quiet=load
// Data is loaded for a seventh of the run, and used for the rest of it.
#include "leaks.h"
PLACE static void load() { memset(malloc(500), 1, 500); }

static void step(long i) {
    work(10);
    if (i < 280)
        for (int k = 0; k < 4; ++k) load();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
