// SPDX-License-Identifier: Apache-2.0
// truth: leak=take
// At the call site of a working set that varies by hundreds, one block in a hundred is lost.
#include <vector>
#include "leaks.h"

static std::vector<void*> set;

PLACE static void* take() { return malloc(48); }

static void step(long) {
    const size_t wanted = 200 + random_below(600);
    for (int i = 0; i < 5; ++i) {
        void* block = take();
        if (random_below(100) != 0) set.push_back(block);
    }
    while (set.size() < wanted) set.push_back(take());
    while (set.size() > wanted) {
        const size_t which = random_below(set.size());
        free(set[which]);
        set[which] = set.back();
        set.pop_back();
    }
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
