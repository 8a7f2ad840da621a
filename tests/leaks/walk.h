// SPDX-License-Identifier: Apache-2.0
//
// A working set that is a random walk, last in, first out: the same for all seeds but for where it
// comes to.
#pragma once

#include <vector>

#include "leaks.h"

static auto& set = *new std::vector<void*>;

PLACE static void resize(size_t wanted) {
    while (set.size() < wanted) set.push_back(malloc(150));
    while (set.size() > wanted) {
        free(set.back());
        set.pop_back();
    }
}

static void step(long) {
    static long wanted = 500;
    work(10);
    wanted += (long)random_below(31) - 15;
    if (wanted < 10) wanted = 10;
    resize((size_t)wanted);
}

static void walk(uint64_t seed) {
    leaks_random_state += seed * 0x9e3779b97f4a7c15u;
    run_steps(2000, step);
}
