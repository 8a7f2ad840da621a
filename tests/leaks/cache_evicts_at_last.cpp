// SPDX-License-Identifier: Apache-2.0
// truth: quiet=insert
// A cache that is full at 90 % of the run, and evicts the oldest from there on.
#include <deque>
#include "leaks.h"

static auto& cache = *new std::deque<void*>;

PLACE static void insert() { cache.push_back(malloc(200)); }

static void step(long) {
    work(10);
    insert();
    if (cache.size() > 1800) {
        free(cache.front());
        cache.pop_front();
    }
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
