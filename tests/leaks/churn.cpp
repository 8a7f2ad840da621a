// SPDX-License-Identifier: Apache-2.0
// truth: quiet=replace
// A thousand blocks of random sizes, of which a few are replaced in each step.
#include "leaks.h"
static void* blocks[1000];

PLACE static void replace() {
    void** place = &blocks[random_below(1000)];
    free(*place);
    *place = malloc(16 << random_below(8));
}

static void step(long) {
    for (int i = 0; i < 10; ++i) replace();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
