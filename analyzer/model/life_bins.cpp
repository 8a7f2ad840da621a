// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/life_bins.h"

#include <bit>

namespace memtrace::analyzer {
namespace {

constexpr uint32_t single_sizes = 4;  // 0, 1, 2, 3
constexpr uint64_t least_time = 100;
constexpr uint64_t time_steps[] = {1, 2, 5};

uint32_t size_bin(uint64_t size) {
    if (size < single_sizes) return static_cast<uint32_t>(size);
    const auto octave = static_cast<uint32_t>(std::bit_width(size)) - 1;  // from 2 on
    const auto quarter = static_cast<uint32_t>(size >> (octave - 2)) & 3;
    return single_sizes + (octave - 2) * 4 + quarter;
}

uint64_t size_begin(uint32_t bin) {
    if (bin < single_sizes) return bin;
    const uint32_t octave = (bin - single_sizes) / 4;
    const uint64_t quarter = (bin - single_sizes) % 4;
    return octave >= 62 ? UINT64_MAX : (4 + quarter) << octave;
}

uint64_t time_begin(uint32_t bin) {
    if (bin == 0) return 0;
    uint64_t decade = least_time;
    for (uint32_t i = 0; i < (bin - 1) / 3; ++i) {
        if (decade > UINT64_MAX / 100) return UINT64_MAX;
        decade *= 10;
    }
    return decade * time_steps[(bin - 1) % 3];
}

uint32_t time_bin(uint64_t time) {
    uint32_t bin = 0;
    while (time_begin(bin + 1) <= time && time_begin(bin + 1) != UINT64_MAX) ++bin;
    return bin;
}

}  // namespace

uint32_t bin_of(LifeScale scale, uint64_t value) {
    switch (scale) {
        case LifeScale::size: return size_bin(value);
        case LifeScale::time: return time_bin(value);
        case LifeScale::events: break;
    }
    return value <= 1 ? 0 : static_cast<uint32_t>(std::bit_width(value - 1));
}

uint64_t bin_begin(LifeScale scale, uint32_t bin) {
    switch (scale) {
        case LifeScale::size: return size_begin(bin);
        case LifeScale::time: return time_begin(bin);
        case LifeScale::events: break;
    }
    if (bin == 0) return 0;
    return bin > 64 ? UINT64_MAX : (uint64_t{1} << (bin - 1)) + 1;
}

uint32_t whole_bin(LifeScale scale, uint32_t bin) {
    if (scale != LifeScale::size) return bin;
    if (bin < 2) return bin;           // 0 and 1
    if (bin < single_sizes) return 2;  // 2 and 3
    return single_sizes + (bin - single_sizes) / 4 * 4;
}

}  // namespace memtrace::analyzer
