// SPDX-License-Identifier: Apache-2.0
//
// Many lanes are merged into one order.
#include "analyzer/reader/event_stream.h"

#include <random>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

// Calls visit(lane number, event) for the events of this dump.
template <class Visit>
void stream(const Bytes& bytes, Visit&& visit) {
    const TempFile path(bytes);
    Problems problems;
    DumpFile file(path.path(), problems);
    const DumpIndex index = index_dump(file, problems);
    uint64_t read = 0;
    EventStream records(file, index, problems, [&](uint64_t more) { read += more; });
    records.run([&](size_t lane, const Event& event) { visit(records.lane_number(lane), event); });
    CHECK_FALSE(problems.damaged());
    CHECK(read <= bytes.size());
}

}  // namespace

TEST_CASE("each lane stays in order, and all are in order of time") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        DumpBuilder dump;
        const unsigned lanes = 1 + random() % 9;
        std::vector<uint64_t> clocks(lanes, 1);
        std::vector<uint64_t> expected(lanes, 0);
        for (int i = 0; i < 2000; ++i) {
            const auto lane = static_cast<uint32_t>(random() % lanes);
            clocks[lane] += random() % (1 + lane * 5);
            dump.add(lane, Sample{clocks[lane], expected[lane]++, lane});
        }
        std::vector<uint64_t> seen(lanes, 0);
        uint64_t last = 0;
        size_t count = 0;
        stream(dump.bytes(), [&](uint32_t lane, const Event& event) {
            const Sample& sample = *record_if<Sample>(event);
            REQUIRE(sample.pss == lane);
            REQUIRE(sample.rss == seen[lane]++);
            REQUIRE(sample.time >= last);
            last = sample.time;
            ++count;
        });
        CHECK(count == 2000);
    }
}

TEST_CASE("what is said about the process comes first, whatever its time") {
    DumpBuilder dump;
    dump.add(0, Sample{5, 1, 1});
    dump.add(lane_none, Process{1000, 17});
    dump.add(lane_none, Option{2000, "key", "value"});
    std::vector<uint32_t> order;
    stream(dump.bytes(), [&](uint32_t lane, const Event&) { order.push_back(lane); });
    CHECK(order == std::vector<uint32_t>{lane_none, lane_none, 0});
}

TEST_CASE("a resize has two moments, between which other lanes come") {
    DumpBuilder dump;
    dump.add(0, Resize{10, 20, Api::realloc, 0x1000, 0, 5, 0x2000});
    dump.add(0, Release{30, Api::free, 0x2000});
    dump.add(1, Acquire{20, Api::malloc, 0, 1, 0x1000});
    std::vector<std::string> order;
    stream(dump.bytes(), [&](uint32_t, const Event& event) {
        if (record_if<Resize>(event) != nullptr) order.push_back("begin");
        if (record_if<ResizeEnd>(event) != nullptr) order.push_back("end");
        if (record_if<Acquire>(event) != nullptr) order.push_back("acquire");
        if (record_if<Release>(event) != nullptr) order.push_back("release");
    });
    CHECK(order == std::vector<std::string>{"begin", "acquire", "end", "release"});
}

TEST_CASE("definitions come before the event that follows them in their lane, and once") {
    DumpBuilder dump;
    uint32_t id = 0;
    uint64_t time = 1;
    for (uint32_t event = 0; event < 2000; ++event) {
        for (uint32_t i = 0; i < event % 3; ++i, ++id)
            dump.add(0, Node{time++, id + 1, id, no_module, NodeKind::native, 0x1000 + id});
        dump.add(0, Acquire{time++, Api::malloc, id, 1, 0x1000 + 16 * event});
        if (event % 300 == 299) dump.end_chunk(0);
    }
    dump.add(0, Node{time, id + 1, id, no_module, NodeKind::native, 0x1000});
    const TempFile path(dump.bytes());
    Problems problems;
    DumpFile file(path.path(), problems);
    const DumpIndex index = index_dump(file, problems);
    uint32_t defined = 0, wrong = 0, events = 0;
    EventStream records(
        file, index, problems, [](uint64_t) {},
        [&](std::span<const Node> nodes, size_t count) {
            for (const Node& node : nodes.first(count)) wrong += node.id != ++defined;
            for (size_t i = count; i < nodes.size(); ++i)
                wrong += nodes[i].id != defined + 1 + i - count;
        });
    records.run([&](size_t, const Event& event) {
        events += 1;
        wrong += record_if<Acquire>(event)->stack != defined;
    });
    CHECK(wrong == 0);
    CHECK(events == 2000);
    CHECK(defined == id + 1);
}
