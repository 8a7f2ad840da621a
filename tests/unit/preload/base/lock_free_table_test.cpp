// SPDX-License-Identifier: Apache-2.0
#include "preload/base/lock_free_table.h"

#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

struct Pair {
    std::atomic<uint64_t> key;
    std::atomic<uint64_t> value;
};
using Table = LockFreeTable<Pair, 4>;

Table::Record* add(Table& table, uint64_t key, uint64_t value) {
    Table::Record* record = table.take(key);
    record->content.key = key;
    record->content.value = value;
    Table::publish(*record);
    return record;
}

void remove(Table::Record* record) {
    if (Table::take_out(*record)) Table::give_back(*record);
}

// Returns the sum of the values under a key, in any order.
uint64_t sum(Table& table, uint64_t key) {
    uint64_t total = 0;
    table.for_each(key, [&](const Table::Record& record, uint64_t version) {
        const uint64_t found_key = record.content.key.load();
        const uint64_t value = record.content.value.load();
        if (found_key == key && record.version == version) total += value;
    });
    return total;
}

}  // namespace

TEST_CASE("records are found by their hash until they leave", "[steady_table]") {
    const auto table = std::make_unique<Table>();
    Table::Record* const one = add(*table, 5, 100);
    add(*table, 5, 30);
    add(*table, 5 + 16, 7);  // the same chain
    CHECK(sum(*table, 5) == 130);
    CHECK(sum(*table, 21) == 7);
    CHECK(sum(*table, 6) == 0);
    remove(one);
    CHECK(sum(*table, 5) == 30);
}

TEST_CASE("a record that is being filled is not found", "[steady_table]") {
    const auto table = std::make_unique<Table>();
    Table::Record* const record = table->take(1);
    record->content.key = 1;
    record->content.value = 9;
    CHECK(sum(*table, 1) == 0);
    Table::publish(*record);
    CHECK(sum(*table, 1) == 9);
}

TEST_CASE("only one takes a record out", "[steady_table]") {
    const auto table = std::make_unique<Table>();
    Table::Record* const record = add(*table, 1, 9);
    CHECK(Table::take_out(*record));
    CHECK_FALSE(Table::take_out(*record));
}

TEST_CASE("records that have left are filled again", "[steady_table]") {
    const auto table = std::make_unique<Table>();
    for (uint64_t i = 0; i < 10000; ++i) remove(add(*table, 3, i));
    CHECK(table->records() == 1);
}

TEST_CASE("threads add and remove while others look", "[steady_table]") {
    const auto table = std::make_unique<Table>();
    add(*table, 3, 1000000);
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    const auto writer = [&](uint64_t key) {
        for (uint64_t i = 0; i < 20000; ++i) remove(add(*table, key, key));
    };
    const auto reader = [&] {
        while (!stop) {
            wrong += sum(*table, 3) != 1000000;
            wrong += sum(*table, 19) > 19;  // present or not, but never half of another content
        }
    };
    std::thread threads[] = {std::thread(writer, 19), std::thread(writer, 35), std::thread(reader)};
    threads[0].join();
    threads[1].join();
    stop = true;
    threads[2].join();
    CHECK(wrong == 0);
    CHECK(table->records() < 20);
}
