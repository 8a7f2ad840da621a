// SPDX-License-Identifier: Apache-2.0
//
// Keeps the sums of sizes within 64 bits. All sums of a recording (of sites, spaces, phases,
// threads and slices) are sums of sizes of its blocks. If these sizes together fit into 64 bits,
// every sum does. No program fills 64 bits with live memory, but a damaged or forged dump can say
// so, and so can a program that reserves terabytes again and again.
//
// The block that no longer fits is counted with the rest that fits, and all blocks after it with 0
// bytes. So sums stay consistent, and reach the greatest number instead of wrapping around.
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "analyzer/model/problems.h"

namespace memtrace::analyzer {

class SizeBudget {
public:
    // Returns the size with which a block of `size` bytes is counted.
    [[gnu::always_inline]] uint64_t take(uint64_t size) {
        if (size > left_) [[unlikely]]
            return take_rest();
        left_ -= size;
        return size;
    }

    // The number of blocks whose size was cut.
    uint64_t cut() const { return cut_; }

private:
    uint64_t take_rest() {
        cut_ += 1;
        const uint64_t rest = left_;
        left_ = 0;
        return rest;
    }

    uint64_t left_ = UINT64_MAX;
    uint64_t cut_ = 0;
};

// Reports that the sizes of this many blocks were cut.
inline void report_cut(uint64_t cut, Problems& problems) {
    if (cut == 0) return;
    problems.damage("size",
                    fmt::format("The sizes of all blocks add up to more than fits into 64 bits: {} "
                                "cut.",
                                cut == 1 ? "one was" : fmt::format("{} were", cut)));
}

}  // namespace memtrace::analyzer
