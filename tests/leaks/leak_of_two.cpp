// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep_name:24,keep_body:2000
// Two leaks, of different sizes.
#include "leaks.h"
PLACE static void keep_name() { memset(malloc(24), 1, 24); }
PLACE static void keep_body() { memset(malloc(4000), 1, 4000); }

static void step(long i) {
    keep_name();
    work(10);
    if (i % 2 == 0) keep_body();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
