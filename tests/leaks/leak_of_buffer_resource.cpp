// SPDX-License-Identifier: Apache-2.0
// truth: unsure=request
// All requests draw from one resource that is never released; two call stacks of a line do so.
#include <memory_resource>
#include <string>
#include <vector>
#include "leaks.h"
static auto& arena = *new std::pmr::monotonic_buffer_resource(4096);
PLACE static void request() {
    std::pmr::vector<std::pmr::string> answers(&arena);
    for (int i = 0; i < 3; ++i) answers.emplace_back("an answer that is long enough for the heap");
}

static void step(long) {
    work(5);
    request();
}

int main() { run_steps(3000, step); }
