// SPDX-License-Identifier: Apache-2.0
// truth: quiet=put
// A cache that drops half of its entries when there are a thousand.
#include <vector>
#include "leaks.h"
static auto& entries = *new std::vector<void*>;
PLACE static void put() { entries.push_back(malloc(200)); }

static void step(long) {
    work(5);
    put();
    if (entries.size() < 1000) return;
    for (size_t i = 0; i < 500; ++i) free(entries[i]);
    entries.erase(entries.begin(), entries.begin() + 500);
}

int main() { run_steps(5600, step); }
