// SPDX-License-Identifier: Apache-2.0
//
// The two integer codings of the dump, each encoder next to its decoder.
//
//   varint  seven bits a byte, lowest first, high bit set on all but the last: 300 = AC 02
//   zigzag  maps signed to unsigned so that small magnitudes stay short: 0 -1 1 -2 = 0 1 2 3
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memtrace {

inline constexpr size_t varint_bytes_max = 10;

// Writes `value` to `out`, which must have room for varint_bytes_max. Returns one past the last
// byte.
inline uint8_t* write_varint(uint8_t* out, uint64_t value) {
    // Most values are short. One or two bytes is as good as random, and each misprediction costs
    // more than writing one byte too many. So there is no branch between the two lengths.
    if (value < 0x4000) {
        const uint64_t is_long = value >= 0x80;
        const uint64_t both = (value & 0x7f) | is_long << 7 | (value & 0x3f80) << 1;
        std::memcpy(out, &both, 2);  // The dump and all supported machines are little-endian.
        return out + 1 + is_long;
    }
    // Nearly all other values have up to five bytes, for which the same is true.
    if (value < uint64_t{1} << 35) {
        const uint64_t more = (static_cast<uint64_t>(std::bit_width(value)) - 1) / 7;
        const uint64_t digits = (value & 0x7f) | (value & 0x3f80) << 1 | (value & 0x1fc000) << 2 |
                                (value & 0xfe00000) << 3 | (value & 0x7f0000000) << 4;
        const uint64_t all = digits | (0x80808080 & ((uint64_t{1} << 8 * more) - 1));
        std::memcpy(out, &all, 8);
        return out + 1 + more;
    }
    while (value >= 0x80) {
        *out++ = static_cast<uint8_t>(value | 0x80);
        value >>= 7;
    }
    *out++ = static_cast<uint8_t>(value);
    return out;
}

// Reads a value from [in, end) into `value`. Returns one past its last byte, or nullptr if the
// bytes end too early or the value does not fit 64 bits.
inline const uint8_t* read_varint(const uint8_t* in, const uint8_t* end, uint64_t& value) {
    // Up to eight bytes are read at once, without a branch for each of them.
    uint64_t all;
    if (end - in >= static_cast<ptrdiff_t>(sizeof all)) {
        std::memcpy(&all, in, sizeof all);
        const uint64_t last = ~all & 0x8080808080808080;  // the high bits of bytes without one
        if (last != 0) {
            const unsigned high = static_cast<unsigned>(std::countr_zero(last));
            all &= 0x7f7f7f7f7f7f7f7f & (~uint64_t{0} >> (63 - high));
            all = (all & 0x007f007f007f007f) | (all & 0x7f007f007f007f00) >> 1;
            all = (all & 0x00003fff00003fff) | (all & 0x3fff00003fff0000) >> 2;
            value = (all & 0x0fffffff) | (all & 0x0fffffff00000000) >> 4;
            return in + high / 8 + 1;
        }
    }
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (in == end) return nullptr;
        const uint64_t byte = *in++;
        result |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            if (shift == 63 && byte > 1) return nullptr;
            value = result;
            return in;
        }
    }
    return nullptr;
}

inline uint64_t zigzag(int64_t value) {
    return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

inline int64_t unzigzag(uint64_t value) {
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace memtrace
