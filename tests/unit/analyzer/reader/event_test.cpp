// SPDX-License-Identifier: Apache-2.0
//
// An event gives its record back, wherever the record lies.
#include "analyzer/reader/event.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("records in the event and beside it are visited as what they are") {
    const AnyRecord mark = Mark{7, MarkKind::begin, "step"};
    const Event events[] = {
        {1, Acquire{1, Api::malloc, 0, 10, 0x10}}, {2, Release{2, Api::free, 0x10}}, {3, &mark}};
    std::vector<uint64_t> times;
    for (const Event& event : events) {
        visit_record(event, [&](const auto& record) { times.push_back(record.time); });
    }
    CHECK(times == std::vector<uint64_t>{1, 2, 7});
    REQUIRE(record_if<Acquire>(events[0]) != nullptr);
    CHECK(record_if<Acquire>(events[0])->address == 0x10);
    CHECK(record_if<Release>(events[0]) == nullptr);
    CHECK(record_if<Mark>(events[1]) == nullptr);
    REQUIRE(record_if<Mark>(events[2]) != nullptr);
    CHECK(record_if<Mark>(events[2])->text == "step");
    CHECK(record_if<Acquire>(events[2]) == nullptr);
    CHECK(record_if<Sample>(events[2]) == nullptr);
}

TEST_CASE("at one tick, what gives an address back comes before what takes it") {
    CHECK(merge_key(Release{5, Api::free, 1}) < merge_key(Acquire{5, Api::malloc, 0, 1, 1}));
    CHECK(merge_key(Acquire{5, Api::malloc, 0, 1, 1}) < merge_key(Release{6, Api::free, 1}));
}
