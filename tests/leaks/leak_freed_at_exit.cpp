// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep:40
// What was collected is freed by a static destructor.
#include <memory>
#include <vector>
#include "leaks.h"

static std::vector<std::unique_ptr<char[]>> all;

PLACE static void keep() { all.emplace_back(new char[40]); }

static void step(long) {
    work(10);
    keep();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
