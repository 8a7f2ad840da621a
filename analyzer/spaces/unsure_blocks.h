// SPDX-License-Identifier: Apache-2.0
//
// How much of a space is alive as far as the dump says, and may be gone: what was acquired before a
// time that was not recorded. What is released later was there after all.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/model/sites.h"

namespace memtrace::analyzer {

class UnsureBlocks {
public:
    // All that is alive may be gone. `newest`: the number of the newest acquisition. `goes_on`:
    // what is acquired later may go, too, until the next call.
    void doubt_all(uint64_t newest, const Totals& alive, bool goes_on) {
        doubted_ = newest;
        goes_on_ = goes_on;
        bytes_ = alive.live_bytes;
        blocks_ = alive.live_blocks;
    }
    // True if a block that is alive, by the number of its acquisition, may be gone.
    bool may_be_gone(uint64_t number) const { return goes_on_ || is_doubted(number); }

    // These blocks of one acquisition go.
    void settle(uint64_t number, uint64_t bytes, uint64_t blocks) {
        if (!is_doubted(number)) [[likely]]
            return;
        bytes_ -= std::min(bytes_, bytes);
        blocks_ -= std::min(blocks_, blocks);
    }
    void come_to_peak() { at_peak_ = bytes_; }

    uint64_t bytes() const { return bytes_; }
    uint64_t blocks() const { return blocks_; }
    uint64_t bytes_at_peak() const { return at_peak_; }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.doubted_, self.goes_on_, self.bytes_, self.blocks_, self.at_peak_);
    }

private:
    bool is_doubted(uint64_t number) const { return number <= doubted_; }

    uint64_t doubted_ = 0;  // number of the newest doubted block; 0: none
    bool goes_on_ = false;
    uint64_t bytes_ = 0;
    uint64_t blocks_ = 0;
    uint64_t at_peak_ = 0;  // bytes, when the space was at its peak
};

}  // namespace memtrace::analyzer
