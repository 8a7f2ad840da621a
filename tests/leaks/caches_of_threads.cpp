// SPDX-License-Identifier: Apache-2.0
// truth: quiet=fill
// Threads come and go, each with a cache of its own that dies with it.
#include <map>
#include <thread>
#include <vector>
#include "leaks.h"

static thread_local std::map<long, std::vector<char>> cache;

PLACE static void fill(long key) { cache.try_emplace(key, 100); }

static void serve() {
    for (long i = 0; i < 300; ++i) fill(i % 100);
}

static void step(long) {
    work(10);
    std::thread one(serve), other(serve);
    one.join();
    other.join();
}

int main(void) {
    run_steps(200, step);
    return 0;
}
