// truth: oracle
// run: manual libraries=double-torch-cuda
// Reports of blocks that come and go, from eight places in turn at the end of twenty calls, and
// nothing else. bench/workloads/tensor_cost.py counts instructions in it. Argument: number of
// blocks.
#include <stdio.h>
#include <stdlib.h>

#include "tests/doubles/torch/caching_allocator.h"

#define PLACE(number)                                                         \
    __attribute__((noinline)) static void place_##number(void) {              \
        double_torch_report_other_device((void*)(4096L * (number)), 512, 0);  \
        double_torch_report_other_device((void*)(4096L * (number)), -512, 0); \
    }
PLACE(1)
PLACE(2)
PLACE(3)
PLACE(4)
PLACE(5)
PLACE(6)
PLACE(7)
PLACE(8)

static void (*const places[])(void) = {place_1, place_2, place_3, place_4,
                                       place_5, place_6, place_7, place_8};

__attribute__((noinline)) static int descend(int depth, int place) {
    if (depth > 0) return descend(depth - 1, place) + 1;
    places[place]();
    return 0;
}

int main(int argc, char** argv) {
    const int blocks = argc > 1 ? atoi(argv[1]) : 1000;
    int calls = 0;
    for (int i = 0; i < blocks; ++i) calls += descend(20, i % 8);
    printf("%d blocks, %d calls\n", blocks, calls);
    return 0;
}
