// SPDX-License-Identifier: Apache-2.0
//
// The live blocks of a space of which only a sample was recorded, from the start or since some
// moment. Each of them stands for several blocks (HeapSample, python_records.h), so all figures are
// estimates, and `temporary` is not known. Sums of estimates are unbiased: over many runs, their
// average is the truth.
//
// What was recorded before the sample began is in a HeapSpace, and both count with its counter.
// From that moment on, releases of blocks that nobody knows are no contradictions: the shim
// records a release unless it knows that the block was left out.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/base/tick_clock.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/peak_tracker.h"
#include "analyzer/spaces/sample_intervals.h"
#include "analyzer/spaces/size_budget.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// The peak of a site, or of the space, in a sample. The highest of all estimates is too high: it
// was taken at the moment at which chance had added most. So the sample is two samples of half as
// many blocks, each for itself. One tells when the peak was, and the other, which knows nothing of
// that choice, how much was held then:
//
//   the first half    ▂▃▂▅▃▂█▃▂      highest here ─────┐    the same the other way round,
//   the other         ▃▂▄▂▃▅▄▂▃      had so much then ─┘    and the average of both
//
// A half that has chosen another moment than that of the true peak finds less than it, so where a
// peak is short the result is rather too low (estimate_peak_range()).
class FairPeak {
public:
    // What a block of the sample stands for: in the sample, and in each half of it.
    struct Part {
        uint64_t bytes = 0;
        uint64_t halves[2] = {0, 0};
    };

    // `live`: bytes that the estimate has now, the block included. `before`: the highest estimate
    // before.
    void acquire(const Part& block, uint64_t live, uint64_t before) {
        if (acquired_ == 0) highest_exact_ = before;
        sampled_ += block.bytes;
        const uint64_t exact = live - std::min(live, sampled_);
        for (size_t i = 0; i < 2; ++i) halves_[i] += block.halves[i];
        for (size_t i = 0; i < 2; ++i) {
            if (acquired_ != 0 && exact + halves_[i] <= highest_[i]) continue;
            highest_[i] = exact + halves_[i];
            other_then_[i] = exact + halves_[1 - i];
        }
        acquired_ += 1;
    }
    void release(const Part& block) {
        sampled_ -= std::min(sampled_, block.bytes);
        for (size_t i = 0; i < 2; ++i) halves_[i] -= std::min(halves_[i], block.halves[i]);
    }

    // Returns the peak, given the highest of all estimates.
    uint64_t bytes(uint64_t highest) const {
        if (acquired_ == 0) return highest;
        const uint64_t fair =
            other_then_[0] / 2 + other_then_[1] / 2 + (other_then_[0] & other_then_[1] & 1);
        return std::min(highest, std::max(highest_exact_, fair));
    }

private:
    uint64_t sampled_ = 0;        // bytes that are alive, of the sample
    uint64_t halves_[2]{};        // the same as each half has it
    uint64_t highest_[2]{};       // the most that each half had, with what was recorded exactly
    uint64_t other_then_[2]{};    // what the other half had then
    uint64_t highest_exact_ = 0;  // before the sample began
    uint64_t acquired_ = 0;       // blocks of the sample
};

class SampledBlocks {
public:
    using Fault = HeapSpace::Fault;

    // `exact` has the blocks that stand for themselves.
    explicit SampledBlocks(HeapSpace& exact) : exact_(exact), counter_(exact.counter()) {}

    // All acquisitions are a sample with this interval. Without effect after the first block,
    // because a damaged dump must not mix two intervals.
    void begin(uint64_t interval) {
        if (counter_.empty()) intervals_.begin(interval);
    }
    // The acquisitions of this lane are, from now on.
    void change(uint32_t lane, uint64_t interval, uint64_t time) {
        intervals_.change(lane, interval, time);
    }
    const SampleIntervals& intervals() const { return intervals_; }
    bool is_sample() const { return intervals_.longest() != 0; }

    // What a block of the sample stands for.
    struct Weight {
        uint64_t blocks;
        uint64_t bytes;
    };
    // Returns a whole number of blocks. The remainder is carried over to the next block, whatever
    // its size: a program may have a thousand sizes, each of them once in the sample.
    Weight weigh(uint64_t size, uint64_t interval, SizeBudget& sizes);

    // An acquisition that is one of a sample with this interval.
    Fault acquire(const Acquire& record, Weight weight, uint64_t interval, uint32_t backward);
    // A release of any block, by this thread. Call judged() with the fault.
    Fault release(uint64_t address, uint32_t thread);
    // Must be called before an acquisition that stands for itself.
    Fault make_way(uint64_t address);
    // Returns the fault, unless a sample explains it.
    Fault judged(Fault fault) const {
        const bool is_unknown =
            fault == Fault::released_while_not_live || fault == Fault::resized_while_not_live;
        return is_unknown && intervals_.turned() ? Fault::none : fault;
    }

    bool has(uint64_t address) const { return blocks_.contains(address); }
    // False if a block cannot be one of the space.
    bool is_sound() const {
        return std::all_of(blocks_.begin(), blocks_.end(), [this](const auto& entry) {
            return counter_.has(entry.second.site) && entry.second.site < peaks_.size();
        });
    }
    // Adds all live blocks to the histories (SpaceCounter::add_birth).
    void count_births();
    // The number of blocks that were ever in the sample.
    uint64_t sampled() const { return sampled_; }
    // Adds what is known about the sample to the finished space.
    void describe(Space& space, const TickClock& clock) const;

    // Returns the average number of blocks that a sampled block of `size` bytes stands for, at
    // least 1.
    static double weight_of(uint64_t size, uint64_t interval);

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.intervals_, self.blocks_, self.left_over_, self.sampled_, self.bytes_of_sites_,
             self.peaks_, self.peak_);
    }

private:
    struct Block {
        Weight weight;
        uint32_t site;
        uint64_t number;  // of its acquisition
        uint64_t halves[2];
    };
    void close(const Block& block);
    // Chooses the halves that a block is in (FairPeak), as by chance.
    static void halve(const Acquire& record, uint64_t interval, Block& block);
    void settle_peaks(Space& space) const;

    HeapSpace& exact_;
    SpaceCounter& counter_;
    SampleIntervals intervals_;
    tsl::robin_map<uint64_t, Block, NumberHash> blocks_;
    double left_over_ = 0;  // blocks
    uint64_t sampled_ = 0;
    std::vector<uint64_t> bytes_of_sites_;  // by site: of all blocks that were ever in the sample
    std::vector<FairPeak> peaks_;           // by site
    FairPeak peak_;                         // of the space
};

}  // namespace memtrace::analyzer
