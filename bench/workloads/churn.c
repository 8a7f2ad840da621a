// SPDX-License-Identifier: Apache-2.0
//
// One thread only allocates and frees, below a call stack of DEPTH frames. This is the worst case
// for every profiler.  churn DEPTH COUNT
#include <stdio.h>
#include <stdlib.h>

#include "descend.h"

enum { blocks_max = 4096, blocks_at_once = 4 };

struct Worker {
    uint64_t random;
    uint64_t sum;
    char* blocks[blocks_max];
};

static NOINLINE void replace(struct Worker* worker) {
    const uint64_t lots = next_random(&worker->random);
    char** block = &worker->blocks[lots % blocks_max];
    free(*block);
    const uint64_t size = some_size(lots >> 12);
    *block = malloc(size);
    **block = (char)size;
    worker->sum += size;
}

// Four allocations from four places.
NOINLINE void at_the_bottom(struct Worker* worker) {
    replace(worker);
    replace(worker);
    replace(worker);
    replace(worker);
}

int main(int argc, char** argv) {
    if (argc != 3) return fprintf(stderr, "usage: churn DEPTH COUNT\n"), 2;
    static struct Worker worker = {.random = 88172645463325252u};
    const unsigned depth = (unsigned)atoi(argv[1]);  // main, left or right, bottom, replace
    const unsigned levels = depth > 3 ? depth - 3 : 0;
    for (long left_to_do = atol(argv[2]); left_to_do > 0; left_to_do -= blocks_at_once) {
        descend(&worker, next_random(&worker.random), levels);
    }
    for (int i = 0; i < blocks_max; ++i) free(worker.blocks[i]);
    printf("asked for %llu bytes\n", (unsigned long long)worker.sum);
    return 0;
}
