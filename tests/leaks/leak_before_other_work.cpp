// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:64 loaded=keep
// A leak in the first 85 % of the run; then the program writes its results.
#include "leaks.h"
PLACE static void keep() { memset(malloc(64), 1, 64); }
PLACE static void write_results() {
    const double begin = leaks_now();
    for (int i = 0; i < 3000; ++i) {
        free(malloc(3000));
        leaks_sleep(begin + leaks_seconds() * 0.15 * (i + 1) / 3000 - leaks_now());
    }
}

static void step(long) {
    work(10);
    keep();
}

int main() {
    run_steps(2000, step);
    write_results();
}
