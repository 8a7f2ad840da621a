// SPDX-License-Identifier: Apache-2.0
//
// The input of every report: one dump, replayed and named, and the few figures that all reports
// need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/frames/user_code.h"
#include "analyzer/model/measure.h"
#include "analyzer/model/merged_parts.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/sites/unwind_gaps.h"

namespace memtrace::analyzer {

// How far the call stacks of the whole recording reach.
struct Coverage {
    uint64_t complete = 0;  // captures_complete()
    UnwindGaps gaps;
};

struct Recording {
    std::string path;
    Model model;
    Symbols symbols;
    CodePatterns code;  // patterns of the project's own code
    MergedParts merged;
    // From before the filters removed sites; nothing: they removed none.
    std::optional<Coverage> coverage;
    // The dump was compacted: it has what a profile has, and not its events.
    bool is_compacted = false;
};

const Space* find_space(const Model& model, const std::string& name);  // null: no events in it
// True if the space has events, also if none of them passes the filters.
bool has_space(const Model& model, const std::string& name);
// "host, mmap", or "none". Of what passes the filters.
std::string names_of_spaces(const Model& model);

// True if the program released or acquired memory of the space after its work had ended (WorkEnd).
// The memory held at that moment is then more meaningful than the memory alive at the end.
bool changed_after_work(const Model& model, const Space& space);

// Returns the measure of what was held at the end: when the work ended if the program cleaned up
// after it, else when the recording, phase or range ended.
Measure held_measure(const Model& model, const Space& space);

// Returns the most memory that the process could use: that of the machine, or the limit of its
// control groups. Nothing for an older dump.
std::optional<uint64_t> host_memory(const ProcessInfo& process);

// Returns the last search for lost blocks that was done; nullptr if there is none.
const LostSearchInfo* last_search(const Model& model);

// True if something is missing: damage, or events that were seen but not recorded (exit code 3).
bool is_incomplete(const Model& model);

// Returns why a recording has no space of memory to show.
std::string no_space_text(const Model& model);

// Returns how Python's functions were recorded: "on (3.11.7)", "off: why" or "none".
std::string python_state_text(const Model& model);

// Returns how Python's small objects were recorded: "all", "a sample", "not recorded; why" or "not
// from the first one on; why".
std::string python_objects_text(const Model& model);

// Returns the number of acquisitions with a stack that reaches the start of its thread.
uint64_t captures_complete(const Recording& recording);

UnwindGaps unwind_gaps(const Recording& recording);

}  // namespace memtrace::analyzer
