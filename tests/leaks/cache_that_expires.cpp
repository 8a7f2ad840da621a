// SPDX-License-Identifier: Apache-2.0
// truth: quiet=put
// Entries of a cache expire after three hundred steps; how many come in a step is chance.
#include <deque>
#include <utility>
#include "leaks.h"
static auto& entries = *new std::deque<std::pair<long, void*>>;
PLACE static void put(long i) { entries.emplace_back(i, malloc(64 + random_below(400))); }

static void step(long i) {
    work(5);
    for (uint64_t n = random_below(4); n > 0; --n) put(i);
    while (!entries.empty() && entries.front().first < i - 300) {
        free(entries.front().second);
        entries.pop_front();
    }
}

int main() { run_steps(4000, step); }
