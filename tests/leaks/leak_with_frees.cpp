// SPDX-License-Identifier: Apache-2.0
// truth: leak=take:32
// A pool: ten blocks come and nine go in each step, at random.
#include "leaks.h"
static void* pool[100000];
static long used;

PLACE static void take() { pool[used++] = malloc(32); }
PLACE static void give() {
    const long last = used - 1, which = last - (long)random_below(used < 90 ? used : 90);
    free(pool[which]);
    pool[which] = pool[last];
    used = last;
}

static void step(long) {
    for (int i = 0; i < 10; ++i) take();
    for (int i = 0; i < 9; ++i) give();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
