// SPDX-License-Identifier: Apache-2.0
// truth: quiet=push
// A queue of fifty to a hundred messages, first in, first out.
#include <deque>
#include "leaks.h"

static auto& messages = *new std::deque<void*>;

PLACE static void push() { messages.push_back(malloc(300)); }

static void step(long) {
    work(10);
    const size_t count = random_below(20);
    for (size_t i = 0; i < count; ++i) push();
    const size_t left = 50 + random_below(50);
    while (messages.size() > left) {
        free(messages.front());
        messages.pop_front();
    }
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
