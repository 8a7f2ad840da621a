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
    };
    std::vector<Said> said;

private:
    void acquired(const ObservedChange& change, uint64_t, uint64_t) override {
        said.push_back({true, change.bytes, change.blocks, change.number});
    }
    void released(const ObservedChange& change, bool) override {
        said.push_back({false, change.bytes, change.blocks, change.number});
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

TEST_CASE("what a group's block gives back is what it took last") {
    SpaceCounter counter("test");
    Listener listener;
    counter.set_observer(&listener);
    const uint32_t label = counter.add_label("kept");
    const uint32_t site = counter.site_of(1);
    counter.acquire(site, 0, 1, label);
    counter.grow(site, 100, 100, 2, label);
    counter.grow(site, 50, 50, 3, label);
    listener.said.clear();
    counter.shrink(site, 70, SpaceObserver::of_group, label);
    REQUIRE(listener.said.size() == 2);
    CHECK(listener.said[0].bytes == 50);
    CHECK(listener.said[0].number == 3);
    CHECK(listener.said[1].bytes == 20);
    CHECK(listener.said[1].number == 2);
    CHECK(counter.totals().live_bytes == 80);
}
