// SPDX-License-Identifier: Apache-2.0
// truth: any=insert
// A cache that would be full after three times this run: nobody can tell.
#include <map>
#include <vector>
#include "leaks.h"

static auto& cache = *new std::map<long, std::vector<char>>;

PLACE static void insert(long key) { cache.try_emplace(key, 200); }

static void step(long i) {
    work(10);
    insert(i % 6000);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
