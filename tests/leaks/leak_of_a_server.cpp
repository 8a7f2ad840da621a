// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:128
// Requests come in two bursts, with a long pause between them.
#include "leaks.h"
PLACE static void keep() { memset(malloc(128), 1, 128); }

static void step(long) {
    work(10);
    keep();
}

int main() {
    run_steps(1000, step);
    leaks_sleep(3 * leaks_seconds());
    run_steps(1000, step);
}
