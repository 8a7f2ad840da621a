// SPDX-License-Identifier: Apache-2.0
//
// Lanes that are read side by side keep little unpacked, and read the same.
#include "analyzer/reader/open_chunks.h"

#include <fmt/format.h>

#include <random>

#include "analyzer/reader/lane_reader.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

struct Held : OpenChunks::Holder {
    void let_go() override { has_gone = true; }
    bool has_gone = false;
};

// Lanes with blocks, resizes and texts, in several chunks each.
Bytes busy_lanes(uint32_t lanes) {
    DumpBuilder::Settings settings;
    settings.ring_slots = 1 << 15;
    DumpBuilder dump(settings);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        for (uint64_t i = 0; i < 3000; ++i) {
            const uint64_t address = (uint64_t{lane} << 32) + 0x1000 + 64 * i;
            dump.add(lane, Acquire{10 * i, Api::malloc, 0, 1 + i % 100, address});
            if (i % 5 == 0) dump.add(lane, Release{10 * i + 1, Api::free, address});
            const std::string text = fmt::format("mark {} of lane {}", i, lane);
            if (i % 7 == 0) dump.add(lane, Mark{10 * i + 2, MarkKind::mark, text});
            if (i % 1000 == 999) dump.end_chunk(lane);
        }
    }
    return dump.bytes();
}

std::string text_of(const Event& event) {
    if (const auto* acquire = record_if<Acquire>(event)) {
        return fmt::format("a {} {} {}", acquire->time, acquire->address, acquire->size);
    }
    if (const auto* release = record_if<Release>(event)) return fmt::format("r {}", release->time);
    if (const auto* mark = record_if<Mark>(event)) {
        return fmt::format("m {} {}", mark->time, mark->text);
    }
    return "?";
}

// Reads the lanes a batch at a time, in a random order. A batch is looked at when the lane's next
// turn comes, after others have been read.
std::vector<std::vector<std::string>> read_lanes(const Bytes& bytes, size_t bytes_max) {
    const TempFile path(bytes);
    Problems problems;
    DumpFile file(path.path(), problems);
    const DumpIndex index = index_dump(file, problems);
    ReadContext context{file, problems, [](uint64_t) {}};
    context.open_chunks = OpenChunks(bytes_max);
    std::vector<std::unique_ptr<LaneReader>> readers;
    for (const LaneSections& lane : index.lanes) {
        readers.push_back(std::make_unique<LaneReader>(lane, context));
    }
    std::vector<const EventBatch*> batches(readers.size());
    std::vector<std::vector<std::string>> texts(readers.size());
    std::vector<size_t> open(readers.size());
    for (size_t i = 0; i < open.size(); ++i) open[i] = i;
    std::mt19937 random(7);
    while (!open.empty()) {
        const size_t at = random() % open.size();
        const size_t lane = open[at];
        if (batches[lane] != nullptr) {
            for (const Event& event : *batches[lane]) texts[lane].push_back(text_of(event));
        }
        batches[lane] = &readers[lane]->fill();
        if (batches[lane]->empty()) open.erase(open.begin() + static_cast<ptrdiff_t>(at));
    }
    CHECK_FALSE(problems.damaged());
    return texts;
}

}  // namespace

TEST_CASE("the chunks used last stay, and the others are let go") {
    OpenChunks chunks(100);
    Held a, b, c;
    chunks.use(a, 40);
    chunks.use(b, 40);
    chunks.use(a, 40);
    CHECK(chunks.bytes() == 80);
    chunks.use(c, 40);
    CHECK(b.has_gone);
    CHECK_FALSE(a.has_gone);
    CHECK(chunks.bytes() == 80);
    chunks.use(c, 1000);  // One is always there, however large.
    CHECK(a.has_gone);
    CHECK_FALSE(c.has_gone);
    CHECK(chunks.bytes() == 1000);
    chunks.use(c, 0);
    CHECK(chunks.bytes() == 0);
}

TEST_CASE("what is read is the same if chunks are let go and unpacked again") {
    const Bytes bytes = busy_lanes(6);
    const auto all_at_once = read_lanes(bytes, size_t{1} << 30);
    REQUIRE(all_at_once.size() == 6);
    for (const auto& lane : all_at_once) CHECK(lane.size() == 3000 + 600 + 429);
    CHECK(read_lanes(bytes, 1) == all_at_once);
    CHECK(read_lanes(bytes, 500'000) == all_at_once);
}
