// SPDX-License-Identifier: Apache-2.0
// truth: quiet=resize
// A working set that follows a sine, of five periods and a quarter.
#include <math.h>
#include "working_set.h"

static void step(long i) {
    work(10);
    resize((size_t)(500 + 450 * sin(2 * M_PI * 5.25 * (double)i / 2000)));
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
