// SPDX-License-Identifier: Apache-2.0
// truth: leak=begin_thread:160
// Each thread makes a block for itself, and nobody frees it when the thread has ended.
#include <thread>
#include "leaks.h"
static thread_local char* own;
PLACE static void begin_thread() { own = static_cast<char*>(memset(malloc(160), 1, 160)); }

static void step(long) {
    std::thread([] {
        begin_thread();
        work(10);
    }).join();
}

int main() { run_steps(1000, step); }
