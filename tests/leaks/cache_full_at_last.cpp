// SPDX-License-Identifier: Apache-2.0
// truth: quiet=insert
// A cache that fills during nearly the whole run: it is full at 95 %.
#include <map>
#include <vector>
#include "leaks.h"

static auto& cache = *new std::map<long, std::vector<char>>;

PLACE static void insert(long key) { cache.try_emplace(key, 200); }

static void step(long i) {
    work(10);
    insert(i % 1900);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
