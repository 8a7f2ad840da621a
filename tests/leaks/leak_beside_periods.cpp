// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:16
// A working set that rises and falls, and beside it a leak a hundred times smaller.
#include <vector>
#include "leaks.h"

static std::vector<void*> set;

PLACE static void keep() { memset(malloc(16), 1, 16); }
PLACE static void rise() { set.push_back(malloc(1600)); }

static void step(long i) {
    keep();
    rise();
    if (i % 300 == 299) {
        for (void* block : set) free(block);
        set.clear();
    }
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
