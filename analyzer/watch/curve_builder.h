// SPDX-License-Identifier: Apache-2.0
//
// What a space held over time, in slices of equal width. Slices double in width when there are too
// many, so the length of the run need not be known, and lowest and highest stay exact:
//
//   held        |5 |9 |2 |2 |7 |        five slices of one tick
//               |5  9|2  2|7            three of two ticks: highest 9, 2, 7
//
// The width is a power of two of ticks and depends on the length alone, so all curves of a run have
// the same slices.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/run_watch.h"

namespace memtrace::analyzer {

class CurveBuilder {
public:
    static constexpr size_t slices_max = 1024;

    // The curve begins at this tick, with these bytes.
    void begin(uint64_t time, uint64_t bytes);

    // `bytes` are held from this time on. Times do not fall.
    void change(uint64_t time, uint64_t bytes);

    // The curve ends here. Nothing may follow.
    void end(uint64_t time);

    HeldCurve finish(const TickClock& clock) const;

private:
    struct Slice {
        uint64_t lowest, highest, last;
    };
    void come_to(uint64_t time);
    void double_width();

    uint64_t begin_ = 0;
    uint64_t end_ = 0;
    uint64_t first_ = 0;
    uint64_t now_ = 0;  // bytes
    uint64_t peak_ = 0;
    uint64_t peak_time_ = 0;
    unsigned width_bits_ = 0;
    std::vector<Slice> slices_;
};

}  // namespace memtrace::analyzer
