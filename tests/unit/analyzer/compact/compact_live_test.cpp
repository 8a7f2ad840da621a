// SPDX-License-Identifier: Apache-2.0
//
// A dump is compacted in its place at any moments, and nothing is different but its size.
#include "analyzer/compact/compact_live.h"

#include <random>
#include <string>
#include <vector>

#include "analyzer/base/error.h"
#include "analyzer/compact/compact_dump.h"
#include "analyzer/compact/read_compacted.h"
#include "analyzer/reader/past.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

// Ticks are nanoseconds.
DumpBuilder begun() {
    DumpBuilder dump;
    dump.add(lane_none, Clock{0, 1'000'000'000, 1'700'000'000'000'000'000});
    dump.add(lane_none, Process{0, 1});
    return dump;
}

// Threads that acquire, release and resize each other's blocks, often several times in one tick.
class RandomThreads {
public:
    explicit RandomThreads(unsigned seed) : random_(seed), lanes_(1 + random_() % 4) {}

    DumpBuilder run() {
        DumpBuilder dump = begun();
        for (uint32_t id = 1; id <= stacks_; ++id) {
            dump.add(lane_of(id), Node{1, id, no_stack, no_module, NodeKind::native, 0x100u * id});
        }
        std::vector<uint64_t> at(lanes_, 10);  // the newest time of each lane
        for (int i = 0; i < 900; ++i) {
            time_ += random_() % 3;
            const auto lane = static_cast<uint32_t>(random_() % lanes_);
            if (random_() % 40 == 0) dump.end_chunk(lane);
            else step(dump, lane);
        }
        return dump;
    }
    uint64_t end() const { return time_; }

private:
    uint32_t lane_of(uint32_t number) const { return number % lanes_; }

    void step(DumpBuilder& dump, uint32_t lane) {
        const uint32_t stack = 1 + static_cast<uint32_t>(random_() % stacks_);
        const uint64_t fresh = 0x10000 + 64 * ++made_;
        if (blocks_.empty() || random_() % 5 < 2) {
            dump.add(lane, Acquire{time_, Api::malloc, stack, 1 + random_() % 50, fresh});
            blocks_.push_back(fresh);
            return;
        }
        const size_t which = random_() % blocks_.size();
        const uint64_t block = blocks_[which];
        if (random_() % 3 == 0) {
            const uint64_t duration = random_() % 40;
            dump.add(lane, Resize{time_, duration, Api::realloc, block, stack, 1 + random_() % 90,
                                  fresh});
            blocks_[which] = fresh;
            time_ += duration;  // Nobody has the new address before.
        } else {
            dump.add(lane, Release{time_, Api::free, block});
            blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(which));
        }
    }

    static constexpr uint32_t stacks_ = 9;
    std::mt19937 random_;
    uint32_t lanes_;
    uint64_t time_ = 10;
    uint64_t made_ = 0;
    std::vector<uint64_t> blocks_;
};

void check_same(const Model& found, const Model& wanted) {
    CHECK(problems_of(found).empty());
    CHECK(unequal_sums(found).empty());
    CHECK(found.capture.events == wanted.capture.events);
    CHECK(found.capture.anomalies == wanted.capture.anomalies);
    CHECK(found.process.duration_ns == wanted.process.duration_ns);
    REQUIRE(found.spaces.size() == wanted.spaces.size());
    for (size_t i = 0; i < found.spaces.size(); ++i) {
        Totals one = found.spaces[i].totals, other = wanted.spaces[i].totals;
        one.half_bytes = other.half_bytes = 0;  // half_of_histories.h
        CHECK(one == other);
        CHECK(found.spaces[i].peak_time_ns == wanted.spaces[i].peak_time_ns);
        for (uint32_t stack = 1; stack < 20; ++stack) {
            const auto site = find_site(found.spaces[i], stack);
            const auto same = find_site(wanted.spaces[i], stack);
            REQUIRE(site.has_value() == same.has_value());
            if (!site) continue;
            CHECK(site->totals.allocations == same->totals.allocations);
            CHECK(site->totals.live_bytes == same->totals.live_bytes);
            CHECK(site->totals.at_peak_bytes == same->totals.at_peak_bytes);
            CHECK(site->totals.temporary == same->totals.temporary);
        }
    }
}

}  // namespace

TEST_CASE("whenever and however often a dump is compacted in its place, its figures are the same") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        RandomThreads threads(seed);
        const TempFile file(threads.run().bytes());
        const Model wanted = load_dump(file.path());
        REQUIRE(problems_of(wanted).empty());
        std::mt19937 random(seed);
        uint64_t moment = 0;
        bool was_compacted = false;
        while (moment < threads.end()) {
            moment += 1 + random() % 400;
            was_compacted |= compact_live(file.path(), 0, moment).freed_bytes > 0;
            if (was_compacted) check_same(read_compacted(file.path()), wanted);
        }
        CHECK(was_compacted);
        CHECK(newest_past(file.path()) != 0);
    }
}

TEST_CASE("the moment of a compaction is one of the clock of the whole recording") {
    RandomThreads threads(4);
    DumpBuilder dump = threads.run();
    const uint64_t end = threads.end(), half = end / 2;
    constexpr uint64_t ns_per_tick = 10'000;  // The header says 1, as long as there is no other.
    dump.add(0, Clock{end + 1, 1'000'000'000 + ns_per_tick * (end + 1), 0});
    const TempFile file(dump.bytes()), target(Bytes{});
    compact_dump(file.path(), target.path(), ns_per_tick * half, {});
    compact_live(file.path(), 0, ns_per_tick * half);
    for (const std::string& path : {file.path(), target.path()}) {
        Problems problems;
        DumpFile compacted(path, problems);
        const DumpIndex index = index_dump(compacted, problems);
        REQUIRE(index.past);
        CHECK(index.past->key / 2 == half - 1);
    }
    // A later moment of a dump that was compacted, too.
    compact_live(file.path(), 0, ns_per_tick * (half + half / 2));
    Problems problems;
    DumpFile compacted(file.path(), problems);
    CHECK(index_dump(compacted, problems).past->key / 2 == half + half / 2 - 1);
}

TEST_CASE("a moment before everything gains nothing, and the file stays as it is") {
    const Bytes bytes = RandomThreads(1).run().bytes();
    const TempFile file(bytes);
    CHECK(compact_live(file.path(), 0, 0).freed_bytes == 0);
    CHECK(newest_past(file.path()) == 0);
    CHECK(load_dump(file.path()).capture.events == load_bytes(bytes).capture.events);
}

TEST_CASE("where the dump may not become larger for a moment, it is left as it is") {
    RandomThreads threads(2);
    const TempFile file(threads.run().bytes());
    CHECK(compact_live(file.path(), 4096, threads.end()).freed_bytes == 0);
    CHECK(newest_past(file.path()) == 0);
}

TEST_CASE("a damaged dump is not compacted: nobody could see afterwards what is missing") {
    RandomThreads threads(3);
    DumpBuilder dump = threads.run();
    Bytes bytes = dump.bytes();
    bytes[dump.places().back().offset + section_alignment + 3] ^= 1;
    const TempFile file(bytes);
    CHECK_THROWS_WITH(compact_live(file.path(), 0, threads.end()), Contains("it is damaged"));
}

TEST_CASE("rings that are not in the file cannot be read while the program runs") {
    DumpBuilder::Settings settings;
    settings.with_rings = false;
    DumpBuilder dump(settings);
    dump.add(0, Acquire{1, Api::malloc, 0, 8, 0x1000}).end_chunk(0);
    const TempFile file(dump.bytes());
    CHECK_THROWS_WITH(compact_live(file.path(), 0, 10), Contains("memory of the program"));
}
