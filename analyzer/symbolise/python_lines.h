// SPDX-License-Identifier: Apache-2.0
//
// Converts the instruction of a Python function to its line by the line tables of CPython 3.8 and
// later. Tables come from a dump and may contain anything. Entries that make no sense have no line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Source range of an instruction. Lines and columns count from 1, columns in bytes, and the last
// column is part of the range. 0: not known.
struct PythonPlace {
    uint32_t line = 0;
    uint32_t end_line = 0;
    uint32_t column = 0;
    uint32_t end_column = 0;

    bool operator==(const PythonPlace&) const = default;
};

class PythonLineTable {
public:
    // Reads the table as far as the places of positions up to `last` need it.
    explicit PythonLineTable(const PythonCodeInfo& code, uint32_t last = python_position_max);

    // Returns the place of a position up to `last`, as in the address of a python node: 0, or 1 +
    // the index of the instruction.
    PythonPlace find(uint32_t position) const;

private:
    struct Range {
        uint64_t end;  // one past its last byte of bytecode; begins at the end of the last range
        PythonPlace place;
    };

    void read_lnotab(std::string_view table, bool whole);
    void read_ranges(std::string_view table);
    void read_locations(std::string_view table);
    void add(uint64_t bytes, const PythonPlace& place);
    uint32_t line_after(int64_t step);

    std::vector<Range> ranges_;
    uint64_t end_ = 0;  // end of the last range
    uint64_t last_;     // byte of bytecode whose range is the last that is wanted
    int64_t line_;      // current line while reading
    uint32_t first_line_;
};

}  // namespace memtrace::analyzer
