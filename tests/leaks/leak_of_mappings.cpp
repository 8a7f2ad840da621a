// SPDX-License-Identifier: Apache-2.0
// truth: leak=map_more:8192
// Two pages are mapped in each step.
#include <sys/mman.h>
#include "leaks.h"

PLACE static void map_more() {
    mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void step(long) {
    work(10);
    map_more();
}

int main(void) {
    run_steps(500, step);
    return 0;
}
