// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_sites.h"

#include <map>

#include "tests/unit/analyzer/phases/phase_history.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Totals totals_of(const Space& space, uint32_t stack) {
    for (const Site& site : space.sites) {
        if (site.stack == stack) return site.totals;
    }
    return {};
}

// Computes the activity of each site while the phase was open from the list of all blocks.
std::map<uint32_t, Totals> counted_again(const PhaseHistory& history, uint64_t& peak_time) {
    std::map<uint32_t, Totals> sites;
    uint64_t peak = 0;
    bool is_first = true;
    for (const HistoryStretch& stretch : history.stretches()) {
        for (uint64_t time = stretch.from; time < stretch.to; ++time) {
            const uint64_t bytes = history.alive_bytes(time);
            if (is_first || bytes > peak) peak_time = time;
            peak = is_first ? bytes : std::max(peak, bytes);
            is_first = false;
            for (uint32_t stack = 1; stack <= 5; ++stack) {
                uint64_t& most = sites[stack].own_peak_bytes;
                most = std::max(most, history.alive_bytes(time, [&](const HistoryBlock& block) {
                    return block.stack == stack;
                }));
            }
        }
        for (const HistoryBlock& block : history.blocks()) {
            Totals& totals = sites[block.stack];
            const bool is_new = stretch.from < block.from && block.from < stretch.to;
            totals.allocations += is_new;
            totals.allocated_bytes += is_new ? block.size : 0;
            totals.frees += stretch.from < block.to && block.to < stretch.to;
            if (!is_new || block.to < stretch.to) continue;
            totals.live_blocks += 1;
            totals.live_bytes += block.size;
        }
    }
    if (is_first) return sites;
    for (const HistoryBlock& block : history.blocks()) {
        if (block.from > peak_time || block.to <= peak_time) continue;
        sites[block.stack].at_peak_blocks += 1;
        sites[block.stack].at_peak_bytes += block.size;
    }
    return sites;
}

}  // namespace

TEST_CASE("one phase of a space, site by site, against a count that remembers everything") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        SpaceCounter counter("test");
        PhaseSites phase;
        counter.set_observer(&phase);
        PhaseHistory history(seed);
        history.run(
            counter, 300, 1, [&](uint32_t, uint64_t time) { phase.open(time); },
            [&](uint32_t) { phase.close(); });
        const Space space = counter.finish();
        uint64_t peak_time = 0;
        const std::map<uint32_t, Totals> wanted = counted_again(history, peak_time);
        INFO("seed " << seed);
        REQUIRE(counter.peak_time() == peak_time);
        Totals sum;
        for (const auto& [stack, totals] : wanted) {
            INFO("stack " << stack);
            const Totals found = totals_of(space, stack);
            REQUIRE(found.allocations == totals.allocations);
            REQUIRE(found.allocated_bytes == totals.allocated_bytes);
            REQUIRE(found.frees == totals.frees);
            REQUIRE(found.live_blocks == totals.live_blocks);
            REQUIRE(found.live_bytes == totals.live_bytes);
            REQUIRE(found.held_blocks == totals.live_blocks);  // the work ends when the phase ends
            REQUIRE(found.held_bytes == totals.live_bytes);
            REQUIRE(found.at_peak_blocks == totals.at_peak_blocks);
            REQUIRE(found.at_peak_bytes == totals.at_peak_bytes);
            REQUIRE(found.own_peak_bytes == totals.own_peak_bytes);
            sum.live_bytes += found.live_bytes;
            sum.at_peak_bytes += found.at_peak_bytes;
            sum.at_peak_blocks += found.at_peak_blocks;
            sum.allocations += found.allocations;
            sum.temporary += found.temporary;
        }
        REQUIRE(space.totals.live_bytes == sum.live_bytes);
        REQUIRE(space.totals.at_peak_bytes == sum.at_peak_bytes);
        REQUIRE(space.totals.at_peak_blocks == sum.at_peak_blocks);
        REQUIRE(space.totals.own_peak_bytes == sum.at_peak_bytes);
        REQUIRE(space.totals.allocations == sum.allocations);
        REQUIRE(space.totals.temporary == sum.temporary);
    }
}

TEST_CASE("a site that only held something is there, with what it held at the peak") {
    SpaceCounter counter("test");
    PhaseSites phase;
    counter.set_observer(&phase);
    counter.acquire(counter.site_of(1), 100, 10);
    counter.acquire(counter.site_of(2), 5, 11);
    counter.release(counter.site_of(2), 5, false, 2);
    phase.open(20);
    counter.acquire(counter.site_of(3), 7, 21);
    phase.close();
    const Space space = counter.finish();
    REQUIRE(space.sites.size() == 3);
    CHECK(totals_of(space, 2) == Totals{});  // drop_idle_sites() removes it
    CHECK(totals_of(space, 1).at_peak_bytes == 100);
    CHECK(totals_of(space, 1).allocations == 0);
    CHECK(totals_of(space, 3).live_bytes == 7);
    CHECK(space.totals.own_peak_bytes == 107);
}
