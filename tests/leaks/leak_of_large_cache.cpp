// SPDX-License-Identifier: Apache-2.0
// truth: leak=make:133
// A cache full after a quarter of the run. One of fifteen entries that it throws out is lost.
// forgotten.
#include <deque>
#include "leaks.h"

static auto& cache = *new std::deque<void*>;
static long evicted;

PLACE static void* make(void) { return malloc(2000); }

static void step(long) {
    work(10);
    cache.push_back(make());
    if (cache.size() <= 300) return;
    if (++evicted % 15 != 0) free(cache.front());
    cache.pop_front();
}

int main(void) {
    run_steps(1200, step);
    return 0;
}
