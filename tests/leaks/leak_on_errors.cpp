// SPDX-License-Identifier: Apache-2.0
// truth: leak=fail
// One request in a hundred fails, and what it had taken is not given back.
#include "leaks.h"
PLACE static void* take() { return memset(malloc(96), 1, 96); }
PLACE static void fail() { memset(malloc(200), 1, 200); }

static void step(long) {
    work(10);
    void* const taken = take();
    if (random_below(100) == 0) fail();
    free(taken);
}

int main() { run_steps(8000, step); }
