// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:64
// A fifth of a second, and in each of its steps a block stays that is never freed.
#include "leaks.h"
PLACE static void keep() { memset(malloc(64), 1, 64); }

static void step(long) {
    work(10);
    keep();
}

int main() {
    setenv("LEAKS_SECONDS", "0.2", 1);
    setenv("LEAKS_MARKS", "0", 1);
    run_steps(500, step);
}
