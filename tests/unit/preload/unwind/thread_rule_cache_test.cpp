// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/thread_rule_cache.h"

#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

struct Table {
    std::vector<uint64_t> room = std::vector<uint64_t>(ThreadRuleCache::bytes / sizeof(uint64_t));
    ThreadRuleCache rules{room.data()};
};

uint64_t address(uint64_t i) { return 0x7f0000001000 + i * 24; }
uint16_t number(uint64_t i) { return static_cast<uint16_t>(i % 1000 + 1); }

}  // namespace

TEST_CASE("rules are found in the order in which they were met, and in any other",
          "[thread_rule_cache]") {
    Table table;
    for (uint64_t i = 0; i < 100; ++i) table.rules.add(address(i), number(i));
    for (uint64_t i = 0; i < 100; ++i) CHECK(table.rules.find(address(i)) == number(i));
    for (uint64_t i = 100; i-- > 0;) CHECK(table.rules.find(address(i)) == number(i));
    CHECK(table.rules.find(address(100)) == 0);
    CHECK(table.rules.find(0) == 0);
}

TEST_CASE("what was overwritten is not found, and nothing else in its place",
          "[thread_rule_cache]") {
    Table table;
    constexpr uint64_t many = 3 * ThreadRuleCache::rules_max;
    for (uint64_t i = 0; i < many; ++i) table.rules.add(address(i), number(i));
    unsigned found = 0;
    for (uint64_t i = 0; i < many; ++i) {
        const uint16_t rule = table.rules.find(address(i));
        if (rule != 0) CHECK(rule == number(i));
        found += rule != 0;
    }
    // In the order in which the rules came, it does not matter that each hash has one place.
    CHECK(found >= ThreadRuleCache::rules_max - 1);
    CHECK(found <= ThreadRuleCache::rules_max);
}

TEST_CASE("rules that were forgotten are not found", "[thread_rule_cache]") {
    Table table;
    for (uint64_t i = 0; i < 10; ++i) table.rules.add(address(i), number(i));
    table.rules.clear();
    for (uint64_t i = 0; i < 10; ++i) CHECK(table.rules.find(address(i)) == 0);
    table.rules.add(address(3), number(3));
    CHECK(table.rules.find(address(3)) == number(3));
}
