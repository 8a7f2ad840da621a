// SPDX-License-Identifier: Apache-2.0
// truth: any=predict
// Six epochs, each of which keeps the results of its validation: too few to tell.
#include "leaks.h"

PLACE static void* predict(void) { return malloc(5000); }

static void step(long i) {
    work(10);
    if (i % 50 != 49) return;
    static void* volatile kept;
    for (int k = 0; k < 15; ++k) kept = predict();
}

int main(void) {
    run_steps(300, step);
    return 0;
}
