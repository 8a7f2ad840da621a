// SPDX-License-Identifier: Apache-2.0
//
// What every report gets: one dump, replayed and named, with the few figures that all need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/frames/user_code.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

struct Recording {
    std::string path;
    Model model;
    Symbols symbols;
    CodePatterns code;  // what the project says is its own
};

const Space* find_space(const Model& model, const std::string& name);  // null: no events there

// Whether the program gave something of the space back, or took more, after its work had ended
// (WorkEnd): then what was held at that moment says more than what is alive at the end.
bool changed_after_work(const Model& model, const Space& space);

// What the process could take at most: the memory of the machine, or what control groups leave of
// it. Nothing: an older dump does not say.
std::optional<uint64_t> host_memory(const ProcessInfo& process);

// Something is missing: damage, or events that were seen and not recorded. Exit code 3.
bool is_incomplete(const Model& model);

// Tells how Python's functions were recorded: "on (3.11.7)", "off: why" or "none".
std::string python_state_text(const Model& model);

// Tells how Python's small objects were recorded: "all", "a sample", "not recorded; why" or "not
// from the first one on; why".
std::string python_objects_text(const Model& model);

// Acquisitions whose stack reaches the start of its thread.
uint64_t captures_complete(const Recording& recording);

}  // namespace memtrace::analyzer
