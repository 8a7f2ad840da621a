// SPDX-License-Identifier: Apache-2.0
// truth: leak=keeps:32
// One function, two callers: one of them frees what it gets.
#include "leaks.h"
PLACE static void* get() { return malloc(32); }
PLACE static void keeps() { *(char* volatile)get() = 1; }
PLACE static void frees() { free(get()); }

static void step(long) {
    keeps();
    frees();
    work(5);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
