// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/space_observer.h"

#include "analyzer/spaces/peak_tracker.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Records every call.
class Listener final : public SpaceObserver {
public:
    struct Said {
        bool came;
        uint64_t bytes;
        uint64_t blocks;
        uint64_t number;
        bool is_group;
        bool is_moved;
    };
    std::vector<Said> said;

private:
    void acquired(const ObservedChange& change, uint64_t, uint64_t) override {
        said.push_back(
            {true, change.bytes, change.blocks, change.number, change.is_group, change.is_moved});
    }
    void released(const ObservedChange& change, bool) override {
        said.push_back(
            {false, change.bytes, change.blocks, change.number, change.is_group, change.is_moved});
    }
};

}  // namespace

TEST_CASE("an observer is told of each block with its number, and of what goes with the same") {
    SpaceCounter counter("test");
    Listener listener;
    counter.set_observer(&listener);
    const uint32_t label = counter.add_label("kind");
    const uint32_t site = counter.site_of(1);
    counter.acquire(site, 10, 1);
    counter.acquire(site, 20, 2, label);
    counter.shrink(site, 5, 2, label);
    counter.release(site, 10, false, 1);
    REQUIRE(listener.said.size() == 4);
    CHECK(listener.said[0].number == 1);
    CHECK(listener.said[1].number == 2);
    CHECK(listener.said[2].number == 2);
    CHECK(listener.said[2].bytes == 5);
    CHECK(listener.said[2].blocks == 0);
    CHECK_FALSE(listener.said[3].came);
    CHECK(listener.said[3].number == 1);
}

TEST_CASE("an observer is told of a group's block, its parts, and where they go") {
    SpaceCounter counter("test");
    Listener listener;
    counter.set_observer(&listener);
    const uint32_t label = counter.add_label("kept");
    const uint32_t site = counter.site_of(1);
    const uint64_t block = counter.begin_group(site, label, 1);
    const uint64_t first = counter.grow({site, label, 100}, 0, 2);
    const uint64_t second = counter.grow({site, label, 50}, 50, 3);
    counter.shrink_group({site, label, 20, 0, first, true, true});
    CHECK(counter.grow({site, label, 20, 0, first, true, true}, 0, 5) == first);
    CHECK(counter.totals().live_bytes == 150);
    CHECK(counter.totals().live_blocks == 1);
    CHECK(counter.totals().allocations == 0);
    CHECK(counter.totals().allocated_bytes == 50);
    counter.shrink_group({site, label, 100, 0, first});
    counter.shrink_group({site, label, 50, 0, second});
    counter.end_group(site, label, block);
    REQUIRE(listener.said.size() == 8);
    CHECK(listener.said[0].blocks == 1);
    CHECK(listener.said[0].is_group);
    CHECK(listener.said[1].number == first);
    CHECK_FALSE(listener.said[1].is_moved);
    CHECK(listener.said[2].number == second);
    CHECK_FALSE(listener.said[3].came);
    CHECK(listener.said[3].is_moved);
    CHECK(listener.said[4].number == first);
    CHECK(listener.said[4].is_moved);
    CHECK_FALSE(listener.said[5].is_moved);
    CHECK(listener.said[7].blocks == 1);
    CHECK(listener.said[7].number == block);
    CHECK(counter.totals().live_blocks == 0);
    CHECK(counter.totals().frees == 0);
}
