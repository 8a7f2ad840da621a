// SPDX-License-Identifier: Apache-2.0
//
// How sparse a sample is. A recording that must stay small (option max_dump) becomes a sample, and
// then an ever sparser one: from each level to the next, the interval grows fourfold.
//
//   level      0        1          2           3           …
//   interval   whole    64 KiB     256 KiB     1 MiB       … at most 4 GiB
//
// Threads take up a new level one by one, and each lane of the dump says when (HeapSample).
#pragma once

#include <bit>
#include <cstdint>

#include "preload/base/options.h"
#include "preload/base/recording_state.h"

namespace memtrace::preload {

class SampleLevels {
public:
    // `first`: the interval of level 1, in bytes.
    constexpr explicit SampleLevels(uint64_t first)
        : first_(first), shift_max_((bits_max - width_of(first)) & ~1u) {}

    constexpr uint64_t interval(unsigned level) const { return first_ << shift(level); }

    // Distances are drawn from an interval of at most 64 MiB, so that 32 bits have room for them.
    // Then one in 2^thinning() of the bytes that they lead to is chosen.
    constexpr uint64_t drawn_interval(unsigned level) const {
        return first_ << (shift(level) - thinning(level));
    }
    constexpr unsigned thinning(unsigned level) const {
        const unsigned drawn = (drawn_bits_max - width_of(first_)) & ~1u;
        return shift(level) > drawn ? shift(level) - drawn : 0;
    }

private:
    static constexpr unsigned bits_max = 32, drawn_bits_max = 26, step_bits = 2;

    // The exponent of the smallest power of two that is not less.
    static constexpr unsigned width_of(uint64_t interval) {
        return static_cast<unsigned>(std::bit_width(interval - 1));
    }
    constexpr unsigned shift(unsigned level) const {
        const unsigned wanted = level == 0 ? 0 : (level - 1) * step_bits;
        return wanted < shift_max_ ? wanted : shift_max_;
    }

    uint64_t first_;
    unsigned shift_max_;
};

// The sample of the heap, and that of Python's small objects.
inline SampleLevels heap_levels() {
    constexpr uint64_t first_after_whole = uint64_t{64} << 10;
    return SampleLevels(options.sample != 0 ? options.sample : first_after_whole);
}
inline SampleLevels object_levels() { return SampleLevels(options.python_sample); }

// The levels with which a recording begins.
inline uint8_t first_heap_level() { return options.sample != 0; }
inline uint8_t first_object_level() {
    return static_cast<PythonAllocs>(options.python_allocs) == PythonAllocs::sample;
}

// The level at which a thread chooses now.
inline uint8_t level_of_samples() {
    const uint8_t level = sample_level();
    return level == 0 ? 1 : level;
}

}  // namespace memtrace::preload
