// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_space.h"

#include <random>

#include "analyzer/phases/phase_sites.h"
#include "analyzer/phases/phase_space.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("blocks of a space: by site, by class, temporary ones") {
    GpuSpace space("device:0");
    const GpuHolding kept = space.acquire(100, 1, "device", 10, {});
    const GpuHolding short_lived = space.acquire(50, 2, "array", 20, {});
    space.release(short_lived, 30, 0);
    const GpuHolding other_thread = space.acquire(7, 2, "array", 40, {});
    space.release(other_thread, 50, 1);
    CHECK(space.live_bytes() == kept.bytes);
    const Space result = space.counter().finish();
    CHECK(result.totals.allocations == 3);
    CHECK(result.totals.temporary == 1);
    CHECK(result.totals.at_peak_bytes == 150);
    CHECK(result.classes.at("device").live_bytes == 100);
    CHECK(result.classes.at("array").allocated_bytes == 57);
}

TEST_CASE("a group is one block that grows and shrinks, and that nobody allocated") {
    GpuSpace space("device:0");
    space.set_group(Group::pool_cache, 0, 5);
    CHECK(space.counter().empty());
    space.set_group(Group::pool_cache, 100, 10);
    space.lend(Group::pool_cache, 60, 20);
    const GpuHolding block = space.acquire(60, 1, "pooled", 20, {});
    CHECK(space.live_bytes() == 100);
    space.release(block, 30, 0);
    space.take_back(Group::pool_cache, 50, block, 30);  // 10 went to the device
    CHECK(space.live_bytes() == 90);
    CHECK(space.held_sites().at(0).blocks == 1);
    space.set_group(Group::pool_cache, 0, 40);
    const Space result = space.counter().finish();
    CHECK(result.sites.at(0).stack == stack_of(Group::pool_cache));
    CHECK(result.sites.at(0).totals.allocations == 0);
    CHECK(result.sites.at(0).totals.own_peak_bytes == 100);
    CHECK(result.totals.allocations == 1);
    CHECK(result.totals.frees == 1);
    CHECK(result.totals.allocated_bytes == 60);
    CHECK(result.totals.own_peak_bytes == 100);
    CHECK(result.totals.live_bytes == 0);
    CHECK(result.totals.live_blocks == 0);
}

TEST_CASE("what graphs hold counts as allocated, for their blocks are not known") {
    GpuSpace space("device:0");
    space.set_group(Group::graph_memory, 100, 10);
    space.set_group(Group::graph_memory, 30, 20);
    space.set_group(Group::graph_memory, 80, 30);
    const Space result = space.counter().finish();
    CHECK(result.totals.allocated_bytes == 150);
    CHECK(result.totals.allocations == 0);
    CHECK(result.totals.live_blocks == 1);
}

TEST_CASE("who holds what, and how much more than at the mark") {
    GpuSpace space("device:0");
    const GpuHolding first = space.acquire(100, 1, "", 10, {});
    space.acquire(10, 2, "", 11, {});
    CHECK_FALSE(space.mark_time().has_value());
    space.mark(20);
    space.acquire(5, 2, "", 30, {});
    space.release(first, 31, 0);
    space.acquire(70, 1, "", 32, {});
    const auto held = space.held_sites();
    REQUIRE(held.size() == 2);
    CHECK(held[0].bytes == 70);
    CHECK(held[0].since_mark == -30);
    CHECK(held[1].bytes == 15);
    CHECK(held[1].since_mark == 5);
    CHECK(space.mark_time() == 20);
}

namespace {

// A pool as a program uses it. It never gives anything back to the device.
class Pool {
public:
    explicit Pool(GpuSpace& space) : space_(space) {}

    void reserve(uint64_t bytes) {
        kept_ += bytes;
        space_.set_group(Group::pool_cache, kept_, ++time_);
    }
    void take(uint64_t bytes) {
        const uint64_t taken_over = std::min(kept_, bytes);
        kept_ -= taken_over;
        space_.lend(Group::pool_cache, taken_over, ++time_);
        blocks_.push_back(space_.acquire(bytes, 1, "pooled", time_, {}));
    }
    void give(size_t which) {
        const GpuHolding block = blocks_[which];
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which));
        space_.release(block, ++time_, 0);
        kept_ += block.bytes;
        space_.take_back(Group::pool_cache, block.bytes, block, time_);
    }
    size_t blocks() const { return blocks_.size(); }
    uint64_t time() const { return time_; }

private:
    GpuSpace& space_;
    uint64_t kept_ = 0;
    uint64_t time_ = 0;
    std::vector<GpuHolding> blocks_;
};

}  // namespace

TEST_CASE("a temporary block of a pool is not kept by it: what it had is as old as it was") {
    GpuSpace space("device:0");
    PhaseSpace list;
    space.counter().set_observer(&list);
    Pool pool(space);
    for (int step = 0; step < 300; ++step) {
        list.open(0, pool.time());
        pool.take(20);
        if (step == 0) pool.reserve(3000);
        pool.take(1);
        pool.give(pool.blocks() - 2);
        list.close(0);
    }
    const PhaseFigures figures = list.figures(0);
    CHECK(space.live_bytes() == 3020);
    CHECK(figures.kept_bytes == 3020 + 299);  // 300 blocks of 1, and what the first step reserved
    CHECK(figures.leaked_bytes == 3020);
    CHECK(figures.allocations == 600);
    CHECK(figures.allocated_bytes == 300 * 21);
}

TEST_CASE("what a pool keeps is of the phase in which the device gave it, in any order") {
    for (unsigned seed = 0; seed < 50; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        GpuSpace space("device:0");
        PhaseSpace list;
        space.counter().set_observer(&list);
        Pool pool(space);
        uint64_t in_phases = 0;
        for (int part = 0; part < 600; ++part) {
            const bool is_in_phase = part % 2 == 0;
            const uint64_t before = space.live_bytes();
            if (is_in_phase) list.open(0, pool.time());
            for (unsigned i = random() % 10; i > 0; --i) {
                const uint64_t bytes = 1 + random() % 50;
                const unsigned what = random() % 5;
                if (what == 0) pool.reserve(bytes);
                else if (what < 3 || pool.blocks() == 0) pool.take(bytes);
                else pool.give(random() % pool.blocks());
            }
            if (is_in_phase) list.close(0);
            if (is_in_phase) in_phases += space.live_bytes() - before;
        }
        while (pool.blocks() != 0) pool.give(random() % pool.blocks());
        CHECK(list.figures(0).leaked_bytes == in_phases);
    }
}

TEST_CASE("by call site, too, a phase keeps of a pool what the device gave in it") {
    for (unsigned seed = 0; seed < 50; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        GpuSpace space("device:0");
        PhaseSites sites;
        space.counter().set_observer(&sites);
        Pool pool(space);
        const auto use = [&](unsigned times) {
            for (unsigned i = 0; i < times; ++i) {
                const uint64_t bytes = 1 + random() % 50;
                const unsigned what = random() % 5;
                if (what == 0) pool.reserve(bytes);
                else if (what < 3 || pool.blocks() == 0) pool.take(bytes);
                else pool.give(random() % pool.blocks());
            }
        };
        const auto give_all = [&] {
            while (pool.blocks() != 0) pool.give(random() % pool.blocks());
        };
        use(40);
        const uint64_t before = space.live_bytes();
        sites.open(pool.time());
        use(60);
        give_all();
        const uint64_t grown = space.live_bytes() - before;
        sites.close();
        use(60);
        give_all();
        Space result = space.counter().finish();
        const auto is_pool = [&](const Site& site) {
            return site.stack == stack_of(Group::pool_cache);
        };
        for (const Site& site : result.sites) {
            CHECK(site.totals.live_bytes == (is_pool(site) ? grown : 0));
            if (is_pool(site)) CHECK(site.totals.allocations == 0);
        }
    }
}
