// SPDX-License-Identifier: Apache-2.0
//
// A space in which blocks come and go at random while phases begin and end. A second account
// remembers everything: each block, and the live blocks after every event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

struct HistoryBlock {
    uint32_t stack;
    uint64_t size;
    uint64_t number;
    uint64_t from;
    uint64_t to = ~uint64_t{0};
};

struct HistoryStretch {
    uint32_t phase;
    uint64_t from;
    uint64_t to = ~uint64_t{0};
};

// Event i happens at time i. Nothing changes between two events.
class PhaseHistory {
public:
    explicit PhaseHistory(unsigned seed) : random_(seed) {}

    // Calls open(phase, time) and close(phase), which the test provides.
    template <class Open, class Close>
    void run(SpaceCounter& counter, uint64_t events, uint32_t phases, Open&& open, Close&& close) {
        for (uint64_t time = 1; time <= events; ++time) {
            const auto what = random_() % 100;
            if (what < 8) toggle(static_cast<uint32_t>(random_() % phases), time, open, close);
            else if (what < 56 || alive_.empty()) acquire(counter, time);
            else release(counter, time);
        }
        end_ = events + 1;
        for (uint32_t phase = 0; phase < phases; ++phase) {
            if (is_open(phase)) toggle(phase, end_, open, close);
        }
    }

    const std::vector<HistoryBlock>& blocks() const { return blocks_; }
    const std::vector<HistoryStretch>& stretches() const { return stretches_; }

    // Returns the bytes that were alive right after the event at this time.
    template <class Which>
    uint64_t alive_bytes(uint64_t time, Which&& which) const {
        uint64_t bytes = 0;
        for (const HistoryBlock& block : blocks_) {
            if (block.from <= time && time < block.to && which(block)) bytes += block.size;
        }
        return bytes;
    }
    uint64_t alive_bytes(uint64_t time) const {
        return alive_bytes(time, [](const HistoryBlock&) { return true; });
    }

private:
    bool is_open(uint32_t phase) const {
        return std::any_of(stretches_.begin(), stretches_.end(), [&](const HistoryStretch& one) {
            return one.phase == phase && one.to == ~uint64_t{0};
        });
    }
    template <class Open, class Close>
    void toggle(uint32_t phase, uint64_t time, Open& open, Close& close) {
        for (HistoryStretch& stretch : stretches_) {
            if (stretch.phase != phase || stretch.to != ~uint64_t{0}) continue;
            stretch.to = time;
            return close(phase);
        }
        stretches_.push_back({phase, time});
        open(phase, time);
    }
    void acquire(SpaceCounter& counter, uint64_t time) {
        const HistoryBlock block{static_cast<uint32_t>(1 + random_() % 5), random_() % 9,
                                 counter.newest() + 1, time};
        counter.acquire(counter.site_of(block.stack), block.size, time);
        alive_.push_back(blocks_.size());
        blocks_.push_back(block);
    }
    void release(SpaceCounter& counter, uint64_t time) {
        const size_t place = random_() % alive_.size();
        HistoryBlock& block = blocks_[alive_[place]];
        alive_[place] = alive_.back();
        alive_.pop_back();
        block.to = time;
        counter.release(counter.site_of(block.stack), block.size, random_() % 4 == 0, block.number);
    }

    std::mt19937_64 random_;
    std::vector<HistoryBlock> blocks_;
    std::vector<HistoryStretch> stretches_;
    std::vector<size_t> alive_;
    uint64_t end_ = 0;
};

}  // namespace memtrace::analyzer
