// SPDX-License-Identifier: Apache-2.0
// truth: quiet=load,on_message
// 300 states, made at the start. Each message replaces one of them by another line.
#include "leaks.h"

static char** states;

PLACE static void load(void) {
    states = (char**)malloc(300 * sizeof *states);
    for (long user = 0; user < 300; ++user) states[user] = (char*)malloc(150);
}

PLACE static void on_message(long user) {
    free(states[user]);
    states[user] = (char*)malloc(150);
}

static void step(long i) {
    if (i == 0) load();
    on_message((long)random_below(300));
}

int main(void) {
    run_steps(600, step);
    return 0;
}
