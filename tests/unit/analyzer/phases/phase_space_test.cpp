// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_space.h"

#include "tests/unit/analyzer/phases/phase_history.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

bool is_in(const HistoryStretch& stretch, uint64_t time) {
    return stretch.from < time && time < stretch.to;
}

PhaseFigures counted_again(const PhaseHistory& history, uint32_t phase) {
    PhaseFigures figures;
    bool is_first = true;
    for (const HistoryStretch& stretch : history.stretches()) {
        if (stretch.phase != phase) continue;
        for (uint64_t time = stretch.from; time < stretch.to; ++time) {
            const uint64_t bytes = history.alive_bytes(time);
            if (is_first) figures.begin_bytes = bytes;
            if (is_first || bytes > figures.peak_bytes) figures.peak_time_ns = time;
            figures.peak_bytes = std::max(figures.peak_bytes, bytes);
            is_first = false;
        }
        figures.end_bytes = history.alive_bytes(stretch.to);
        for (const HistoryBlock& block : history.blocks()) {
            const bool is_new = is_in(stretch, block.from);
            figures.allocations += is_new;
            figures.allocated_bytes += is_new ? block.size : 0;
            figures.frees += is_in(stretch, block.to);
            if (!is_new || block.to < stretch.to) continue;
            figures.kept_blocks += 1;
            figures.kept_bytes += block.size;
            if (block.to != ~uint64_t{0}) continue;
            figures.leaked_blocks += 1;
            figures.leaked_bytes += block.size;
        }
    }
    return figures;
}

}  // namespace

TEST_CASE("phases of a space, against a count that remembers everything") {
    constexpr uint32_t phases = 6;
    for (unsigned seed = 0; seed < 40; ++seed) {
        SpaceCounter counter("test");
        PhaseSpace space;
        counter.set_observer(&space);
        PhaseHistory history(seed);
        history.run(
            counter, 400, phases, [&](uint32_t phase, uint64_t time) { space.open(phase, time); },
            [&](uint32_t phase) { space.close(phase); });
        for (uint32_t phase = 0; phase < phases; ++phase) {
            INFO("seed " << seed << ", phase " << phase);
            const PhaseFigures found = space.figures(phase);
            const PhaseFigures wanted = counted_again(history, phase);
            REQUIRE(found.allocations == wanted.allocations);
            REQUIRE(found.frees == wanted.frees);
            REQUIRE(found.allocated_bytes == wanted.allocated_bytes);
            REQUIRE(found.peak_bytes == wanted.peak_bytes);
            REQUIRE(found.peak_time_ns == wanted.peak_time_ns);
            REQUIRE(found.begin_bytes == wanted.begin_bytes);
            REQUIRE(found.end_bytes == wanted.end_bytes);
            REQUIRE(found.kept_blocks == wanted.kept_blocks);
            REQUIRE(found.kept_bytes == wanted.kept_bytes);
            REQUIRE(found.leaked_blocks == wanted.leaked_blocks);
            REQUIRE(found.leaked_bytes == wanted.leaked_bytes);
        }
    }
}

TEST_CASE("a phase that never was has no figures") {
    const PhaseSpace space;
    CHECK(space.figures(7).peak_bytes == 0);
}
