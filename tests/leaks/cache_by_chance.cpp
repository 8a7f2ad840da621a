// SPDX-License-Identifier: Apache-2.0
// truth: quiet=insert
// A cache of 400 keys that are asked for at random: it fills ever more slowly.
#include <map>
#include <vector>
#include "leaks.h"

static auto& cache = *new std::map<long, std::vector<char>>;

PLACE static void insert(long key) { cache.try_emplace(key, 200); }

static void step(long) {
    work(10);
    insert((long)random_below(400));
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
