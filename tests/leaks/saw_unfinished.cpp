// SPDX-License-Identifier: Apache-2.0
// truth: quiet=rise
// What is collected is freed at 30 % and 60 % of the run; the rest is alive at its end.
#include <vector>
#include "leaks.h"

static std::vector<void*> set;

PLACE static void rise() { set.push_back(malloc(200)); }

static void step(long i) {
    work(10);
    rise();
    if (i % 620 != 619 || i > 1800) return;
    for (void* block : set) free(block);
    set.clear();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
