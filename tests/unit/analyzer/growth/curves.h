// SPDX-License-Identifier: Apache-2.0
//
// Short programs for tests of the growth judgement. A program holds a list of blocks, and each
// step changes the list.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <utility>

#include "analyzer/growth/growth_curve.h"

namespace memtrace::analyzer {

class MadeProgram {
public:
    explicit MadeProgram(uint64_t seed = 1) : random_(seed) {}

    void take(double bytes = 100) {
        blocks_.push_back({slice_, bytes});
        allocations_ += 1;
    }
    // A block that nothing gives back.
    void lose(double bytes = 100) {
        lost_.push_back({slice_, bytes});
        allocations_ += 1;
    }
    void give_first() { blocks_.pop_front(); }
    void give_last() { blocks_.pop_back(); }
    void give_any() {
        std::swap(blocks_[below(blocks_.size())], blocks_.back());
        blocks_.pop_back();
    }
    void give_all() { blocks_.clear(); }
    // Gives all but one of so many, of all ages.
    void keep_each(size_t part) {
        std::deque<Block> kept;
        for (size_t i = 0; i < blocks_.size(); i += part) kept.push_back(blocks_[i]);
        blocks_ = std::move(kept);
    }
    size_t held() const { return blocks_.size(); }
    uint64_t below(uint64_t limit) { return random_() % limit; }

    // Runs 2,000 steps in 100 slices.
    Curve run(const std::function<void(MadeProgram&, int)>& step) {
        Curve curve;
        for (int i = 0; i < steps; ++i) {
            slice_ = static_cast<size_t>(i / steps_a_slice);
            step(*this, i);
            if ((i + 1) % steps_a_slice != 0) continue;
            double bytes = 0;
            for (const auto* held : {&blocks_, &lost_})
                for (const Block& block : *held) bytes += block.bytes;
            curve.at.push_back(i + 1);
            curve.bytes.push_back(bytes);
            curve.blocks.push_back(static_cast<double>(blocks_.size() + lost_.size()));
            curve.allocations.push_back(allocations_);
            allocations_ = 0;
        }
        curve.born_bytes.resize(curve.size());
        curve.born_blocks.resize(curve.size());
        for (const auto* held : {&blocks_, &lost_}) {
            for (const Block& block : *held) {
                curve.born_bytes[block.slice] += block.bytes;
                curve.born_blocks[block.slice] += 1;
            }
        }
        return curve;
    }

private:
    struct Block {
        size_t slice;
        double bytes;
    };
    static constexpr int steps = 2000, steps_a_slice = 20;

    std::mt19937_64 random_;
    std::deque<Block> blocks_;
    std::deque<Block> lost_;
    double allocations_ = 0;
    size_t slice_ = 0;
};

// A random walk of the number of held blocks. `give` decides which blocks go.
inline Curve random_walk(uint64_t seed, void (MadeProgram::*give)()) {
    size_t wanted = 500;
    return MadeProgram(seed).run([&](MadeProgram& program, int) {
        const size_t up = wanted + program.below(31);
        wanted = up > 25 ? up - 15 : 10;
        while (program.held() < wanted) program.take();
        while (program.held() > wanted) (program.*give)();
    });
}

}  // namespace memtrace::analyzer
