// SPDX-License-Identifier: Apache-2.0
// truth: quiet=open_session
// Sessions whose lengths are random, nearly half of the run in the mean. None is forgotten.
#include <cmath>
#include <map>
#include "leaks.h"

static auto& sessions = *new std::multimap<long, void*>;

PLACE static void* open_session(void) { return malloc(1000); }

static void step(long i) {
    for (int k = 0; k < 4; ++k) {
        const double length = -270 * std::log((double)(1 + random_below(1 << 20)) / (1 << 20));
        sessions.emplace(i + 1 + (long)length, open_session());
    }
    while (!sessions.empty() && sessions.begin()->first <= i) {
        free(sessions.begin()->second);
        sessions.erase(sessions.begin());
    }
}

int main(void) {
    run_steps(600, step);
    return 0;
}
