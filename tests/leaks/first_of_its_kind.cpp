// SPDX-License-Identifier: Apache-2.0
// truth: quiet=describe
// What is kept for each of five kinds of work when it is met for the first time: two blocks each.
#include "leaks.h"

static void* kinds[5][2];

PLACE static void* describe(size_t size) { return calloc(1, size); }

static void step(long i) {
    work(10);
    const long kind = i / 400;
    if (kinds[kind][0] != NULL) return;
    for (size_t k = 0; k < 2; ++k) kinds[kind][k] = describe(100 + 1000 * k);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
