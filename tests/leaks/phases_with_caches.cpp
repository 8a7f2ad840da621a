// SPDX-License-Identifier: Apache-2.0
// truth: quiet=first_cache,second_cache
// Two parts of a job, one after the other: each fills a cache of its own, and drops it at its end.
#include <vector>
#include "leaks.h"
static auto& held = *new std::vector<void*>;
PLACE static void first_cache() { held.push_back(malloc(300)); }
PLACE static void second_cache() { held.push_back(malloc(500)); }

static void drop() {
    for (void* const block : held) free(block);
    held.clear();
}

static void step(long i) {
    work(5);
    if (i == 2000) drop();
    if (held.size() < 600) i < 2000 ? first_cache() : second_cache();
}

int main() {
    run_steps(4000, step);
    drop();
}
