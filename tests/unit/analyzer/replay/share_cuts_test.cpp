// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/share_cuts.h"

#include <algorithm>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Events at given times, cut as RunSlicer does.
class Run {
public:
    void event(uint64_t time) {
        if (cuts_.is_due(time, events_) && cuts_.is_slice(time, events_)) {
            if (cuts_.is_pause(time, events_)) cuts_.add({made_++, cuts_.pause_begin(), events_});
            cuts_.add({made_++, time, events_});
            most_ = std::max(most_, cuts_.places().size());
        }
        cuts_.count(time, events_);
        events_ += 1;
        last_ = time;
    }
    std::vector<SlicePlan::Slice> plan() const {
        return cuts_.plan({made_, last_ + 1, events_}, 120);
    }
    size_t most() const { return most_; }
    size_t made() const { return made_; }
    const ShareCuts& cuts() const { return cuts_; }

private:
    ShareCuts cuts_;
    uint64_t events_ = 0;
    uint64_t last_ = 0;
    uint32_t made_ = 0;
    size_t most_ = 0;
};

void check_all_events(const std::vector<SlicePlan::Slice>& slices, uint64_t events) {
    uint64_t sum = 0, time = 0;
    for (const SlicePlan::Slice& slice : slices) {
        sum += slice.events;
        CHECK(slice.end.time > time);
        time = slice.end.time;
    }
    CHECK(sum == events);
}

}  // namespace

TEST_CASE("slices of an even run are even, however long it is") {
    for (const uint64_t length : {300u, 5'000u, 77'777u, 1'000'000u}) {
        Run run;
        for (uint64_t i = 0; i < length; ++i) run.event(10 * i);
        CHECK(run.most() <= 240);
        const auto slices = run.plan();
        check_all_events(slices, length);
        REQUIRE(slices.size() >= 80);
        CHECK(slices.size() <= 120);
        for (const SlicePlan::Slice& slice : slices) {
            CHECK(slice.events * 120 <= length * 5 / 2 + 240);
        }
    }
}

TEST_CASE("a run a hundred times as long makes a few more cuts") {
    Run small, large;
    for (uint64_t i = 0; i < 10'000; ++i) small.event(i);
    for (uint64_t i = 0; i < 1'000'000; ++i) large.event(i);
    CHECK(large.made() < 3 * small.made());
}

TEST_CASE("half of the slices are of the time, half of the events") {
    Run run;  // 90 % of the events in the first tenth of the time
    for (uint64_t i = 0; i < 90'000; ++i) run.event(i);
    for (uint64_t i = 0; i < 10'000; ++i) run.event(90'000 + 81 * i);
    const auto slices = run.plan();
    check_all_events(slices, 100'000);
    const auto early = std::count_if(slices.begin(), slices.end(),
                                     [](const auto& slice) { return slice.end.time <= 90'000; });
    CHECK(early > 45);  // (0.1 + 0.9) / 2 of them
    CHECK(early < 75);
}

TEST_CASE("a pause is a slice of its own") {
    Run run;
    for (uint64_t i = 0; i < 10'000; ++i) run.event(i);
    for (uint64_t i = 0; i < 10'000; ++i) run.event(1'000'000 + i);
    const auto slices = run.plan();
    check_all_events(slices, 20'000);
    const auto pause = std::find_if(slices.begin(), slices.end(),
                                    [](const auto& slice) { return slice.end.time == 1'000'000; });
    REQUIRE(pause != slices.end());
    CHECK(pause->events == 0);
    CHECK((pause - 1)->end.time <= 10'000);
}

TEST_CASE("a pause takes no events of before, wherever in a slice they end") {
    for (uint64_t before = 500; before < 540; ++before) {
        Run run;
        for (uint64_t i = 0; i < before; ++i) run.event(1000 * i);
        run.event(1000 * 2 * before);
        const auto slices = run.plan();
        check_all_events(slices, before + 1);
        const auto pause = std::find_if(slices.begin(), slices.end(), [&](const auto& slice) {
            return slice.end.time > 1000 * before;
        });
        REQUIRE(pause != slices.end());
        CHECK(pause->events <= 1);
    }
}

TEST_CASE("what comes after the end belongs to no slice") {
    Run run;
    for (uint64_t i = 0; i < 100; ++i) run.event(10 * i);
    const auto slices = run.cuts().plan({50, 500, 50}, 120);
    check_all_events(slices, 50);
    CHECK(slices.back().end.time == 500);
    CHECK(ShareCuts().plan({0, 10, 0}, 120).empty());
}
