// SPDX-License-Identifier: Apache-2.0
//
// Rows of own lines that are kept up to date.
#include "analyzer/live/live_table.h"

#include <algorithm>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

constexpr uint64_t second = 1'000'000'000;

const LiveFigures& row(const LiveTable& table, uint32_t number) {
    const auto& rows = table.spaces().at(0).rows;
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const LiveFigures& one) { return one.row == number; });
    REQUIRE(found != rows.end());
    return *found;
}

LiveNames names_of(std::vector<uint32_t> rows_of_sites) {
    LiveNames names;
    names.rows = {{"a.py:1 f", "a.py", 1, {}}, {"b.py:2 g", "b.py", 2, {}}};
    names.of_sites["host"] = std::move(rows_of_sites);
    return names;
}

}  // namespace

TEST_CASE("every byte is in one row, and sites without a name are one") {
    SpaceCounter counter("host");
    counter.acquire(counter.site_of(1), 100, 1);
    counter.acquire(counter.site_of(2), 50, 2);
    counter.acquire(counter.site_of(3), 7, 3);
    LiveTable table;
    table.take(second, counter);
    CHECK(row(table, LiveNames::no_row).bytes == 157);
    CHECK(table.unnamed_share() == 1);
    table.set_names(names_of({0, 1}));
    table.take(2 * second, counter);
    CHECK(row(table, 0).bytes == 100);
    CHECK(row(table, 1).bytes == 50);
    CHECK(row(table, LiveNames::no_row).bytes == 7);
    CHECK(table.spaces()[0].bytes == 157);
}

TEST_CASE("a rate is that of the last minute") {
    SpaceCounter counter("host");
    const uint32_t site = counter.site_of(1);
    LiveTable table;
    table.set_names(names_of({0}));
    for (uint64_t at = 0; at <= 300; at += 2) {
        // Ten bytes a second, for four minutes.
        if (at <= 240) counter.acquire(site, 20, at);
        table.take((at + 1) * second, counter);
        if (at == 2) CHECK_FALSE(row(table, 0).a_minute);
        if (at == 120) CHECK(*row(table, 0).a_minute == Approx(600).epsilon(0.05));
    }
    CHECK(*row(table, 0).a_minute == 0);
}

TEST_CASE("a row does not grow by sites that get a name") {
    SpaceCounter counter("host");
    counter.acquire(counter.site_of(1), 1000, 1);
    LiveTable table;
    table.set_names(names_of({0}));
    for (uint64_t at = 1; at <= 20; ++at) table.take(at * second, counter);
    counter.acquire(counter.site_of(2), 5000, 2);
    table.take(21 * second, counter);
    CHECK(row(table, LiveNames::no_row).bytes == 5000);
    table.set_names(names_of({0, 0}));
    for (uint64_t at = 22; at <= 30; ++at) table.take(at * second, counter);
    CHECK(row(table, 0).bytes == 6000);
    CHECK(*row(table, 0).a_minute == 0);
    // What comes later counts.
    counter.acquire(counter.site_of(2), 500, 3);
    table.take(31 * second, counter);
    CHECK(*row(table, 0).a_minute == Approx(1000));
}
