// SPDX-License-Identifier: Apache-2.0
//
// The two integer codings of the dump, encode next to decode.
//
//   varint  seven bits a byte, lowest first, high bit set on all but the last: 300 = AC 02
//   zigzag  maps signed to unsigned so that small magnitudes stay short: 0 -1 1 -2 = 0 1 2 3
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace {

inline constexpr size_t varint_bytes_max = 10;

// Writes `value` at `out`, which has room for varint_bytes_max. Returns one past the last byte.
inline uint8_t* write_varint(uint8_t* out, uint64_t value) {
    // Most are short; a loop of unknown length would cost a wrong guess of the processor for each.
    if (value < 0x80) {
        *out = static_cast<uint8_t>(value);
        return out + 1;
    }
    if (value < 0x4000) {
        out[0] = static_cast<uint8_t>(value | 0x80);
        out[1] = static_cast<uint8_t>(value >> 7);
        return out + 2;
    }
    while (value >= 0x80) {
        *out++ = static_cast<uint8_t>(value | 0x80);
        value >>= 7;
    }
    *out++ = static_cast<uint8_t>(value);
    return out;
}

// Reads a value from [in, end) into `value`. Returns one past its last byte, or nullptr where the
// bytes end too early or do not fit 64 bits.
inline const uint8_t* read_varint(const uint8_t* in, const uint8_t* end, uint64_t& value) {
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
