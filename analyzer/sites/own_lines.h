// SPDX-License-Identifier: Apache-2.0
//
// The memory of every space by the user's own lines. Each stack belongs to exactly one row, so the
// rows of a space add up to its totals, to the byte:
//
//   line      the innermost own line of the stack (user_code.h). Own code without names is one row
//             for each file of code.
//   backward  the own line that went forward, if autograd runs backward inside all other own lines
//   import    the package that was being imported between the own line and the allocation, with
//             everything that it imported itself. If several lines import it, the one that took
//             most.
//   library   stacks without an own line: the library that called, "the interpreter", "threads of
//             libgomp", what an allocator keeps
//
//   the stack (innermost first)                               its row
//
//   malloc, at::empty, Linear.forward, Net.forward net.py:42  net.py:42 Net.forward
//   malloc, at::mm, backward of net.py:42, main train.py:8    backward of net.py:42 Net.forward
//   malloc, dlopen, …torch/__init__.py, importlib, net.py:3   import torch (net.py:3)
//   malloc, gomp_malloc, clone                                threads of libgomp
//
// The innermost own line may be code that its author did not write, but that was compiled into it:
// headers of other libraries, generated code of Python ("<string>"). Such a line counts only if
// there is no other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

struct OwnRow {
    enum class Kind : uint8_t { line, backward, import, library };

    Kind kind = Kind::line;
    // line, backward, import: a frame of the own line; columns and operation are those of one of
    // many. library: a frame of memory that an allocator keeps, else no_frame.
    FrameId frame = no_frame;
    // import: the package; empty if several packages were imported there and the memory is of none
    // of them. library: the library's name. line: the file of code if it has no names, else empty.
    std::string name;
};

struct OwnLines {
    std::vector<OwnRow> rows;                     // sorted by names
    std::vector<std::vector<Totals>> totals;      // by index of the space in the model, by row
    std::vector<std::vector<uint32_t>> of_sites;  // by space, by site: its row; only if requested
};

// own_peak_bytes in the totals are sums over sites, and say nothing.
OwnLines find_own_lines(const Recording& recording, bool with_sites = false);

// Returns the row that all these sites of a space belong to, or nullptr: they have no common one.
// Needs `of_sites`.
const OwnRow* row_of_all(const Model& model, const OwnLines& lines, const std::string& space,
                         const std::vector<uint32_t>& sites);

// What a row had mapped when the work ended, and how much of that was resident.
struct UntouchedRow {
    const OwnRow* row = nullptr;
    uint64_t mapped = 0;    // bytes of addresses
    uint64_t resident = 0;  // of these
};

// Returns the rows with mappings of which much was not resident, those that lack most first. Needs
// `of_sites`.
std::vector<UntouchedRow> untouched_rows(const Model& model, const OwnLines& lines);

}  // namespace memtrace::analyzer
