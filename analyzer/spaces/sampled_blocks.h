// SPDX-License-Identifier: Apache-2.0
//
// The live blocks of a space of which only a sample was recorded. Each of them stands for several
// blocks (HeapSample, python_records.h), so all figures are estimates, and `temporary` is not
// known. Sums of estimates are unbiased: over many runs, their average is the truth.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/peak_tracker.h"
#include "analyzer/spaces/size_budget.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class SampledBlocks {
public:
    using Fault = HeapSpace::Fault;

    explicit SampledBlocks(std::string name) : counter_(std::move(name)) {}

    // Bytes for each block of the sample, on average; 0: there is no sample. A longer interval than
    // interval_max is a damaged one.
    void set_interval(uint64_t interval);
    uint64_t interval() const { return interval_; }

    // What a block of the sample stands for.
    struct Weight {
        uint64_t blocks;
        uint64_t bytes;
    };
    // Returns a whole number of blocks. The remainder is carried over to the next block, whatever
    // its size: a program may have a thousand sizes, each of them once in the sample.
    Weight weigh(uint64_t size, SizeBudget& sizes);

    Fault acquire(const Acquire& record, Weight weight, uint32_t backward);
    Fault release(uint64_t address);

    bool has(uint64_t address) const { return blocks_.contains(address); }
    // Adds all live blocks to the histories (SpaceCounter::add_birth).
    void count_births();
    SpaceCounter& counter() { return counter_; }
    // The number of blocks that were ever in the sample.
    uint64_t sampled() const { return sampled_; }

    // Returns the average number of blocks that a sampled block of `size` bytes stands for, at
    // least 1.
    static double weight_of(uint64_t size, uint64_t interval);

private:
    // Bounds the number of blocks that a sampled one stands for.
    static constexpr uint64_t interval_max = uint64_t{1} << 32;

    struct Block {
        Weight weight;
        uint32_t site;
        uint64_t number;  // of its acquisition
    };

    SpaceCounter counter_;
    tsl::robin_map<uint64_t, Block, NumberHash> blocks_;
    double left_over_ = 0;  // blocks
    uint64_t interval_ = 0;
    uint64_t sampled_ = 0;
};

}  // namespace memtrace::analyzer
