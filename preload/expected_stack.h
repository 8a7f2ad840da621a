// SPDX-License-Identifier: Apache-2.0
//
// The frames that a thread's next stack will probably begin with, by what its chains remember:
// those of the chain that came next the last time, and of the chains outside of it.
#pragma once

#include <cstdint>

#include "preload/chains.h"

namespace memtrace::preload {

// Points into the chains as they lie: for one stack only, and before its own chains are added.
class ExpectedStack {
public:
    ExpectedStack(ChainTable& chains, uint64_t generation)
        : innermost_(chains.expected()), expectation_(innermost_.expectation(generation)),
          parent_(innermost_.is_whole() ? innermost_.head.parent : unknown) {
        if (parent_ != unknown && innermost_.head.has_outer != 0) add_outer(chains);
    }

    const Expectation& expectation() const { return expectation_; }

    // The id of a stack of just the innermost chain's frames, `count` of them, below `parent`;
    // no_stack: not known.
    uint32_t id_below(uint32_t parent, uint32_t count) const {
        return parent == parent_ && count == innermost_.head.count ? innermost_.id(0) : no_stack;
    }

private:
    static constexpr uint32_t unknown = ~uint32_t{0};  // no node's id

    // Python's frames have no rule, and are left out.
    [[gnu::noinline, gnu::hot]] void add_outer(ChainTable& chains) {
        const ExpectedChains all = chains.all_expected();
        if (all.count < 2) return;
        uint32_t count = 0;
        for (uint32_t i = 0; i < all.count; ++i) {
            const ChainView chain = chains.at(all.places[i]);
            for (uint32_t k = 0; k < chain.head.count; ++k) {
                words_[count] = chain.frame(k);
                count += chain.frame(k) >> 48 != 0;
            }
            // Then these frames alone do not tell which stack it is.
            if (i == 0 && count != chain.head.count) parent_ = unknown;
        }
        expectation_.near = words_;
        expectation_.far = words_ + expected_frames_near;
        expectation_.count = count;
    }

    ChainView   innermost_;
    Expectation expectation_;
    uint32_t    parent_;  // of the innermost chain
    uint64_t    words_[ExpectedChains::chains_max * expected_frames_max];
};

}  // namespace memtrace::preload
