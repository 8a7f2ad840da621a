// SPDX-License-Identifier: Apache-2.0
//
// Call stacks of a chosen depth for the workloads. descend() calls itself through two similar
// functions. In the three innermost calls the choice is random. So stacks share their outer part
// and differ at the end, as in real programs.
#pragma once

#include <stdint.h>

#define NOINLINE __attribute__((noinline))

struct Worker;
void at_the_bottom(struct Worker* worker);  // each workload defines it

// A small random number generator (xorshift64). Equal seeds give equal runs.
static inline uint64_t next_random(uint64_t* state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

static void descend(struct Worker* worker, uint64_t lots, unsigned levels);

// The empty assembly keeps the call from becoming a jump, which would leave no frame.
static NOINLINE void left(struct Worker* worker, uint64_t lots, unsigned levels) {
    descend(worker, lots, levels);
    __asm__ volatile("");
}

static NOINLINE void right(struct Worker* worker, uint64_t lots, unsigned levels) {
    descend(worker, lots, levels);
    __asm__ volatile("" ::: "memory");
}

// Adds `levels` frames of left() or right(). This function is inlined into both.
static inline __attribute__((always_inline)) void descend(struct Worker* worker, uint64_t lots,
                                                          unsigned levels) {
    if (levels == 0) {
        at_the_bottom(worker);
    } else if (levels <= 3 && (lots >> levels & 1)) {
        right(worker, lots, levels - 1);
    } else {
        left(worker, lots, levels - 1);
    }
}

// Returns a size as in ordinary programs: mostly small, sometimes a page, rarely large.
static inline uint64_t some_size(uint64_t lots) {
    if (lots % 1024 == 0) return 100000;
    if (lots % 64 == 0) return 4096;
    return 16 + (lots >> 10) % 240;
}
