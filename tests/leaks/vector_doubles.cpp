// SPDX-License-Identifier: Apache-2.0
// truth: quiet=append
// A vector to which every step appends a number.
#include <vector>
#include "leaks.h"

static auto& numbers = *new std::vector<long>;

PLACE static void append(long i) { numbers.push_back(i); }

static void step(long i) {
    work(10);
    for (int k = 0; k < 10; ++k) append(i);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
