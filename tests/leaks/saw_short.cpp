// SPDX-License-Identifier: Apache-2.0
// truth: quiet=rise
// Blocks are collected and freed every 70 steps.
#include <vector>
#include "leaks.h"

static std::vector<void*> set;

PLACE static void rise() { set.push_back(malloc(200)); }

static void step(long i) {
    work(10);
    rise();
    if (i % 70 != 69) return;
    for (void* block : set) free(block);
    set.clear();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
