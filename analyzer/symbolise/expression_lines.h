// SPDX-License-Identifier: Apache-2.0
//
// GCC gives some calls of an expression whose temporaries have destructors the line at which its
// function ends: that of the closing brace. A user sees a line with nothing on it.
//
//   row       line   code
//   0x233d      17   new Timer{…}       operator new
//   0x236b      22                      the constructor of its string: in fact line 17, too
//   0x2384      17                      the rest of the expression
//   0x2397      18   the next statement
//   0x23d2      22   }                  what the function's end destroys: really line 22
//
// Code at the line at which its function returns is a part of an expression if the rows around it
// are of one other line, or if it comes from another line and goes on to one: a function's end does
// not go on. Of two lines it is the one that has other such code within it. An inlined function
// does not return, and where it ends is not known.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

// Code [begin, end).
struct Interval {
    uint64_t begin = 0;
    uint64_t end = 0;
};

// The parts of the code of a unit, a function or a block.
std::vector<Interval> ranges_of(Dwarf_Die* die);

// Returns the part that contains `address`; empty if none does.
Interval part_with(Dwarf_Die* die, uint64_t address);

// The rows of one compilation unit, which are read when they are asked for.
class ExpressionLines {
public:
    ExpressionLines(const ElfFile& file, Dwarf_Die unit);

    // Returns the line of the expression that the code [begin, end) of a function belongs to, or
    // `line`. `function`: its entry. `source`: as libdw names it.
    int line_of(Dwarf_Die* function, uint64_t begin, uint64_t end, const char* source, int line);

private:
    struct Row {
        uint64_t address = 0;
        int line = 0;  // 0: of no line, or of another file
    };
    // Where the code of a function's last line lies, and what is around it.
    struct Piece {
        uint64_t begin = 0, end = 0;
        int before = 0, after = 0;  // lines; 0: none
    };

    bool has_rows();
    Row row_at(size_t index, const char* source) const;
    size_t first_row_from(uint64_t address) const;
    // Returns the last line of a function if it returns there, or 0.
    int closing_line(Dwarf_Die* function, const char* source);
    // Returns the line of a function's code, which has lines from `declared` to `last`.
    bool has_parts_at_end(Dwarf_Die* function, const char* source, int declared, int last,
                          int line) const;
    int line_at(uint64_t address, const char* source, int declared, int last) const;
    bool goes_on(const Piece& piece, const char* source, int declared, int line) const;

    const ElfFile& file_;
    Dwarf_Die unit_;
    bool is_read_ = false;
    Dwarf_Lines* rows_ = nullptr;  // none of a unit that GCC did not compile from C++
    size_t count_ = 0;
    std::map<std::pair<Dwarf_Off, const char*>, int> closing_lines_;  // by function and file
};

}  // namespace memtrace::analyzer
