// SPDX-License-Identifier: Apache-2.0
// truth: leak=visit:64
// A recursion of random depth and turns: each call stack keeps a few blocks only.
#include "leaks.h"
PLACE static void keep() { memset(malloc(64), 1, 64); }
PLACE static void visit(int depth);
PLACE static void left(int depth) { visit(depth); }
PLACE static void right(int depth) { visit(depth); }
PLACE static void visit(int depth) {
    if (depth == 0) keep();
    else if (random_below(2) == 0) left(depth - 1);
    else right(depth - 1);
    asm volatile("");
}

static void step(long) {
    work(5);
    visit((int)random_below(8));
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
