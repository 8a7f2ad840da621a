// SPDX-License-Identifier: Apache-2.0
//
// What a comparison needs of one recording: its totals, the user's own lines (own_lines.h) and its
// call sites, each under a key that is the same in the other recording. It is small and does not
// refer to the recording, so that two large ones need not be in memory together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/diff/diff_figures.h"
#include "analyzer/diff/diff_stacks.h"
#include "analyzer/diff/line_place.h"
#include "analyzer/model/symbols.h"
#include "analyzer/sites/own_lines.h"
#include "analyzer/sites/source_location.h"

namespace memtrace::analyzer {

// A row of the own lines.
struct DiffLine {
    // Of the function and its file, the package or the library. Lines are not part of it, so
    // several lines of a function have the same key.
    std::string key;
    OwnRow row;                        // its frame is an index into DiffSide::names
    std::vector<uint64_t> site_keys;   // hashes of the keys of its call sites, sorted
    std::vector<DiffFigures> figures;  // by index of the space
    LinePlace place = {};              // of a line of one's own; others have none
    std::string source = {};           // the line itself; only for a page, if it can be read
};

// All call sites of a space with the same key (site_key.h).
struct DiffSite {
    std::string key;
    SourceLocation place;  // of the heaviest
    DiffFigures figures;
};

struct DiffSpace {
    std::string name;
    bool is_estimate = false;
    uint64_t interval = 0;  // bytes for each block of the sample; 0: the figures are exact
    DiffFigures totals;
    std::vector<DiffSite> sites;  // by key
};

// The loop of which the iterations are the steps.
struct DiffLoop {
    std::string function;  // stable_function()
    std::string file;      // stable_file()
    uint32_t line = 0;
    size_t index = 0;              // among the loops of the function that were found
    size_t loops_of_function = 1;  // number of these
};

struct DiffSteps {
    uint64_t count = 0;                    // whole steps: nobody knows when the last one ends
    std::string name;                      // "train.py:88", or the mark
    std::optional<DiffLoop> loop = {};     // nothing: they are marked
    std::vector<uint64_t> site_keys = {};  // as in DiffLine, of what allocates in the steps
};

struct DiffSide {
    std::string path;
    ProcessInfo process;
    std::string program;    // program_name()
    std::string selection;  // range and filters; empty: the whole recording
    std::string nothing;    // nothing_passes_text(); empty: something passes the filters
    uint64_t events = 0;
    bool is_incomplete = false;
    std::optional<DiffSteps> steps;
    std::vector<DiffSpace> spaces;
    std::vector<DiffLine> lines;       // by key, then by file and line
    Symbols names;                     // only the frames of `lines`
    std::string foot;                  // remarks and problems, as reports end with them
    std::optional<DiffStacks> stacks;  // only for a page
};

// `root` is the folder of the project, to which paths of files are relative. `page`: what a page
// of the comparison needs is made as well, unless it is null.
DiffSide make_diff_side(const Recording& recording, const std::string& root,
                        const PageOptions* page = nullptr);

const DiffSpace* find_space(const DiffSide& side, const std::string& name);

}  // namespace memtrace::analyzer
