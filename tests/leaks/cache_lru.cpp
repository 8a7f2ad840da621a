// SPDX-License-Identifier: Apache-2.0
// truth: quiet=insert
// A cache of 300 entries that throws out the oldest.
#include <list>
#include <string>
#include <unordered_map>
#include "leaks.h"

static auto& entries = *new std::list<std::string>;
static auto& places = *new std::unordered_map<long, std::list<std::string>::iterator>;
static auto& order = *new std::list<long>;

PLACE static void insert(long key) {
    entries.push_back(std::string(100 + key % 50, 'x'));
    places[key] = --entries.end();
    order.push_back(key);
    if (order.size() <= 300) return;
    entries.pop_front();
    places.erase(order.front());
    order.pop_front();
}

static void step(long i) {
    work(10);
    insert(i);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
