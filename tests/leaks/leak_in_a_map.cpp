// SPDX-License-Identifier: Apache-2.0
// truth: leak=remember:48
// A map of all requests that there ever were.
#include <string>
#include <unordered_map>
#include "leaks.h"

static auto& seen = *new std::unordered_map<long, std::string>;

PLACE static void remember(long i) { seen.emplace(i, "request"); }

static void step(long i) {
    work(10);
    remember(i * 7919);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
