// SPDX-License-Identifier: Apache-2.0
//
// There are three formats. Each is a list of steps from the beginning of the bytecode:
//
//   lnotab     pairs: bytes of bytecode to advance, then lines to add (signed)
//   ranges     pairs: bytes of bytecode of the range, lines to add before it (signed;
//              -128: this range has no line)
//   locations  entries of one or more bytes; only the first byte has its highest bit set:
//
//                1 kkkk nnn    n + 1 instruction units; k determines the rest of the entry:
//                  0 to 9      one byte, 0sss eeee: the same line, columns 8k + s to 8k + s + e
//                  10 to 12    two bytes, the columns; the line advances by k - 10
//                  13          the step to the line; no columns
//                  14          the step to the line, lines to its end, both columns + 1
//                  15          nothing: no line
//              Numbers have six bits a byte, the lowest first, and bit 6 if another byte follows.
//              Steps have their sign in bit 0.
#include "analyzer/symbolise/python_lines.h"

#include <algorithm>
#include <limits>

namespace memtrace::analyzer {

namespace {

constexpr uint64_t unit_bytes = 2;
constexpr int no_line = -128;
constexpr int64_t line_max = std::numeric_limits<int32_t>::max();

uint8_t byte_of(char c) { return static_cast<uint8_t>(c); }

// The bytes after the first byte of a locations entry.
class Entry {
public:
    explicit Entry(std::string_view& table) : table_(table) {}

    uint32_t byte() {
        if (table_.empty()) {
            ok_ = false;
            return 0;
        }
        const uint8_t value = byte_of(table_.front());
        table_.remove_prefix(1);
        return value;
    }

    uint64_t number() {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 6) {
            const uint32_t next = byte();
            if (shift > 30) ok_ = false;
            if (!ok_) return 0;
            value |= uint64_t{next & 0x3f} << shift;
            if ((next & 0x40) == 0) return value;
        }
    }

    int64_t step() {
        const uint64_t value = number();
        const auto size = static_cast<int64_t>(value >> 1);
        return (value & 1) != 0 ? -size : size;
    }

    bool ok() const { return ok_; }

private:
    std::string_view& table_;
    bool ok_ = true;
};

// Returns the byte of bytecode at a position from 1 on.
uint64_t offset_of(uint32_t position) { return uint64_t{position - 1} * unit_bytes; }

uint32_t as_column(uint64_t value) {
    return value <= static_cast<uint64_t>(line_max) ? static_cast<uint32_t>(value) : 0;
}

}  // namespace

PythonLineTable::PythonLineTable(const PythonCodeInfo& code, uint32_t last)
    : last_(last == 0 ? 0 : offset_of(last)),
      line_(static_cast<int64_t>(std::min<uint64_t>(code.first_line, line_max + 1))),
      first_line_(line_after(0)) {
    switch (code.lines_format) {
        case PythonLinesFormat::lnotab: read_lnotab(code.lines, code.lines_whole); break;
        case PythonLinesFormat::ranges: read_ranges(code.lines); break;
        case PythonLinesFormat::locations: read_locations(code.lines); break;
    }
}

PythonPlace PythonLineTable::find(uint32_t position) const {
    if (position == 0) return {first_line_, 0, 0, 0};
    if (position == python_position_max) return {};
    const uint64_t offset = offset_of(position);
    const auto before = [](uint64_t at, const Range& range) { return at < range.end; };
    const auto range = std::upper_bound(ranges_.begin(), ranges_.end(), offset, before);
    return range == ranges_.end() ? PythonPlace{} : range->place;
}

// Advances by `step` lines and returns the line, or 0 if there is no such line.
uint32_t PythonLineTable::line_after(int64_t step) {
    // The line is kept near the possible range so that no table can make it overflow.
    line_ = std::clamp<int64_t>(line_ + step, -line_max, line_max + 1);
    return line_ > 0 && line_ <= line_max ? static_cast<uint32_t>(line_) : 0;
}

void PythonLineTable::add(uint64_t bytes, const PythonPlace& place) {
    end_ += bytes;
    if (bytes != 0) ranges_.push_back({end_, place});
}

void PythonLineTable::read_lnotab(std::string_view table, bool whole) {
    uint32_t line = line_after(0);
    for (; table.size() >= 2; table.remove_prefix(2)) {
        if (end_ > last_) return;
        add(byte_of(table[0]), {line, 0, 0, 0});
        line = line_after(static_cast<int8_t>(table[1]));
    }
    // The last line extends to the end of the function.
    if (whole) add(std::numeric_limits<uint64_t>::max() - end_, {line, 0, 0, 0});
}

void PythonLineTable::read_ranges(std::string_view table) {
    for (; table.size() >= 2 && end_ <= last_; table.remove_prefix(2)) {
        const int step = static_cast<int8_t>(table[1]);
        add(byte_of(table[0]), {step == no_line ? 0 : line_after(step), 0, 0, 0});
    }
}

void PythonLineTable::read_locations(std::string_view table) {
    while (!table.empty() && end_ <= last_) {
        const uint8_t first = byte_of(table.front());
        table.remove_prefix(1);
        if ((first & 0x80) == 0) return;  // Not the beginning of an entry; the rest is unusable.
        const uint64_t bytes = ((first & 7u) + 1) * unit_bytes;
        const uint32_t kind = first >> 3 & 15;
        Entry entry(table);
        PythonPlace place;
        if (kind <= 9) {
            const uint32_t columns = entry.byte();
            place.line = place.end_line = line_after(0);
            place.column = kind * 8 + (columns >> 4 & 7) + 1;
            place.end_column = place.column - 1 + (columns & 15);
        } else if (kind <= 12) {
            place.line = place.end_line = line_after(kind - 10);
            place.column = entry.byte() + 1;
            place.end_column = entry.byte();
        } else if (kind == 13) {
            place.line = place.end_line = line_after(entry.step());
        } else if (kind == 14) {
            place.line = line_after(entry.step());
            const uint64_t more = entry.number();
            place.end_line = line_ + static_cast<int64_t>(more) <= line_max && place.line != 0
                                 ? static_cast<uint32_t>(place.line + more)
                                 : 0;
            place.column = as_column(entry.number());
            const uint64_t end = entry.number();
            place.end_column = end == 0 ? 0 : as_column(end - 1);
        }
        if (!entry.ok()) return;
        if (place.line == 0) place = {};
        add(bytes, place);
    }
}

}  // namespace memtrace::analyzer
