// SPDX-License-Identifier: Apache-2.0
// truth: quiet=new_block
// A history of 32 blocks at most: when it is full, it drops every other one and takes half as many.
#include <vector>
#include "leaks.h"
static auto& history = *new std::vector<void*>;
PLACE static void new_block() { history.push_back(malloc(512)); }

static void thin_out() {
    std::vector<void*> kept;
    for (size_t i = 0; i < history.size(); ++i) {
        if (i % 2 == 0) {
            kept.push_back(history[i]);
        } else {
            free(history[i]);
        }
    }
    history = kept;
}

static void step(long i) {
    static long each = 12;
    work(5);
    if (i % each != 0) return;
    new_block();
    if (history.size() < 32) return;
    thin_out();
    each *= 2;
}

int main() { run_steps(6000, step); }
