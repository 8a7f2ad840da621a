// SPDX-License-Identifier: Apache-2.0
// truth: leak=keep
// Eight threads do the same, one of them keeps what it gets.
#include <thread>
#include <vector>
#include "leaks.h"

PLACE static void* get() { return malloc(100); }
PLACE static void keep() { *(char* volatile)get() = 1; }

static void step(long) { work(8); }

static void run_thread(bool keeps) {
    for (int i = 0; i < 1000; ++i) {
        void* block = get();
        if (keeps) keep();
        free(block);
        leaks_sleep(leaks_seconds() / 1000);
    }
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back(run_thread, i == 3);
    run_steps(1000, step);
    for (std::thread& thread : threads) thread.join();
}
