// SPDX-License-Identifier: Apache-2.0
//
// Long records in a ring are rows: the time and then the fields in order. Numbers are varints, and
// text follows its length. columns.h defines the form of the same record in a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "memtrace/dump/records.h"
#include "memtrace/dump/varint.h"

namespace memtrace {

// Writes a record as a row. `out` must have room for row_bytes(record). Returns one past the last
// byte.
template <class Record>
uint8_t* write_row(uint8_t* out, const Record& record) {
    out = write_varint(out, record.time);
    Record::fields(record, [&](const char*, const auto& value, auto) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>) {
            out = write_varint(out, value.size());
            std::memcpy(out, value.data(), value.size());
            out += value.size();
        } else {
            out = write_varint(out, static_cast<uint64_t>(value));
        }
    });
    return out;
}

// The most bytes that the row of this record can take.
template <class Record>
size_t row_bytes(const Record& record) {
    size_t total = varint_bytes_max;
    Record::fields(record, [&](const char*, const auto& value, auto) {
        total += varint_bytes_max;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>) total += value.size();
    });
    return total;
}

// Reads a row from [in, end). Fields beyond the end keep their defaults (an older writer). Bytes
// beyond the fields are ignored (a newer writer). Returns false if malformed. Text points into the
// bytes.
template <class Record>
bool read_row(const uint8_t* in, const uint8_t* end, Record& record) {
    bool ok = (in = read_varint(in, end, record.time)) != nullptr;
    Record::fields(record, [&](const char*, auto& value, auto) {
        if (!ok || in == end) return;
        uint64_t raw = 0;
        in = read_varint(in, end, raw);
        if (in == nullptr) {
            ok = false;
            return;
        }
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>) {
            if (raw > static_cast<uint64_t>(end - in)) {
                ok = false;
                return;
            }
            value = Text(reinterpret_cast<const char*>(in), raw);
            in += raw;
        } else {
            value = static_cast<std::decay_t<decltype(value)>>(raw);
        }
    });
    return ok;
}

}  // namespace memtrace
