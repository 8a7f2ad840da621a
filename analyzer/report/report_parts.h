// SPDX-License-Identifier: Apache-2.0
//
// Parts that several text reports share. Each function appends whole lines, fitted to
// TextOptions::width columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/base/terminal.h"
#include "analyzer/model/measure.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct TextOptions {
    size_t width = 100;  // columns
    bool colour = false;
    size_t top = 10;         // number of call sites in a list
    size_t own_top = 10;     // number of lines in the table of own lines
    bool all_rows = false;   // that table shows all its rows, also each library
    size_t depth = 8;        // lines of a stack
    uint64_t min_value = 0;  // least value of a site that is shown
    double min_percent = 0;  // the same as a part of the space's value
    size_t shown_least = 0;  // rows of a list that are shown if the values of all are less
    std::string space;       // name of the only space that is shown; empty: all
    bool all_frames = false;
    bool lost_only = false;           // `leaks`: only blocks that are lost
    bool lists_lines = false;         // `lines`: only the largest lines, by the options above
    bool interpreter_frames = false;  // also shows the frames that stack_view.h leaves out

    bool shows(const Space& wanted) const { return space.empty() || space == wanted.name; }

    // Returns the least value that is shown if all sites together have `whole`.
    uint64_t least(uint64_t whole) const {
        const auto part = static_cast<uint64_t>(static_cast<double>(whole) * min_percent / 100);
        return min_value > part ? min_value : part;
    }
};

// True if the number of lost events is all of them. If parts of the dump cannot be read, the
// recording stopped, or the program was killed, while rings lay in memory of the process, nobody
// knows how many were in there.
bool knows_all_that_was_lost(const Model& model);

// Returns how many events are lost, or at least; 0 where nobody knows, because parts of the dump
// cannot be read: only the room that they took is known.
uint64_t known_to_be_lost(const Model& model);

// Returns the command line. If the dump has none: the executable, and why if that is known. The
// text is not yet escaped.
std::string program_text(const Model& model);

// Writes the head of a report: the command, its process, and how complete the recording is.
void write_program(std::string& out, const Recording& recording, const TextOptions& options);

// Writes the foot of a report: notes and problems.
void write_foot(std::string& out, const Recording& recording, const TextOptions& options);

// Writes a sentence if there is no space to show: not the one of `options`, or none at all, because
// nothing was allocated or recorded, or because nothing passes the filters.
void write_no_space(std::string& out, const Recording& recording, const TextOptions& options);

void write_title(std::string& out, const TextOptions& options, const std::string& title,
                 const std::string& rest);
// True for memory that a driver of GPUs hands out, and for tensors in it.
bool is_of_gpu(const Space& space);

const char* title_of(Measure measure);  // "by bytes held at the peak", ...

// Writes text in lines of at most `width` columns; further lines are indented.
void write_wrapped(std::string& out, std::string_view text, size_t indent, size_t width);

}  // namespace memtrace::analyzer
