// SPDX-License-Identifier: Apache-2.0
//
// In which slice of the run a block was acquired, told by two numbers that blocks keep anyway: the
// thread that acquired it, and how many that thread had acquired by then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtrace::analyzer {

template <class Number>
class Births {
public:
    // `sequences`: how many blocks each thread has acquired when the slice ends.
    void end_slice(const std::vector<Number>& sequences) { ends_.push_back(sequences); }

    // The number of the slice, among those that have ended; their count if it came later. A thread
    // that wraps around its numbers is believed to be young.
    size_t slice_of(uint32_t thread, Number sequence) const {
        const auto before = [&](const std::vector<Number>& end, Number wanted) {
            return thread >= end.size() || end[thread] < wanted;
        };
        return static_cast<size_t>(
            std::lower_bound(ends_.begin(), ends_.end(), sequence, before) - ends_.begin());
    }

private:
    std::vector<std::vector<Number>> ends_;
};

}  // namespace memtrace::analyzer
