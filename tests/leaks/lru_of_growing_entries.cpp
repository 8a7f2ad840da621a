// SPDX-License-Identifier: Apache-2.0
// truth: quiet=insert
// A cache of 200 entries, which become larger until 70 % of the run.
#include <deque>
#include "leaks.h"

static auto& cache = *new std::deque<void*>;

PLACE static void insert(size_t size) { cache.push_back(malloc(size)); }

static void step(long i) {
    work(10);
    insert(100 + (size_t)(i < 1400 ? i : 1400) / 10);
    if (cache.size() > 200) {
        free(cache.front());
        cache.pop_front();
    }
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
