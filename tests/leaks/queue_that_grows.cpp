// SPDX-License-Identifier: Apache-2.0
// truth: any=push
// A queue that is emptied a little more slowly than it is filled.
#include <deque>
#include "leaks.h"

static auto& messages = *new std::deque<void*>;

PLACE static void push() { messages.push_back(malloc(300)); }

static void step(long i) {
    work(10);
    push();
    if (i % 5 == 0) return;
    free(messages.front());
    messages.pop_front();
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
