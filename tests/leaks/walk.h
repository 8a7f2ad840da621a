// SPDX-License-Identifier: Apache-2.0
//
// A working set that is a random walk. The seeds differ only in where it ends.
#pragma once

#include "working_set.h"

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
