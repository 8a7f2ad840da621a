// SPDX-License-Identifier: Apache-2.0
// truth: leak=take
// A ring of 300 blocks that is full early. One of a hundred blocks is forgotten.
#include <cstdlib>
#include "leaks.h"

static void* ring[300];
static long next;

PLACE static void* take() { return malloc(700); }

static void step(long i) {
    work(10);
    for (long k = 0; k < 5; ++k) {
        void* volatile block = take();
        if ((5 * i + k) % 100 == 99) continue;
        free(ring[next]);
        ring[next] = block;
        next = (next + 1) % 300;
    }
}

int main(void) {
    run_steps(4000, step);
    return 0;
}
