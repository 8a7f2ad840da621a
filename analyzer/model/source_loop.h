// SPDX-License-Identifier: Apache-2.0
//
// Loops that were found in a program by its call stacks alone (analyzer/steps finds them). An
// iteration with at least one event is a *step*.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memtrace::analyzer {

struct SourceLoop {
    std::string function;
    std::string file;
    uint32_t line = 0;     // where the loop's statement begins
    std::string thread;    // name or number of the thread that runs it; "5 threads"
    uint32_t threads = 1;  // number of threads that run it
    // Number of its steps in the whole run; empty: its iterations cannot be told apart.
    std::optional<uint64_t> count;
    std::string why_not;           // reason, if `count` is empty
    std::optional<size_t> parent;  // index of the loop around it, in the same function or a caller
    bool is_own = false;           // a line of the user's own code
    uint64_t entries = 0;          // times that the loop was begun
    uint64_t begin_ns = 0;         // first and last moment at which a step began
    uint64_t end_ns = 0;
};

// The loops of a run, outer ones before inner ones.
struct SourceLoops {
    std::vector<SourceLoop> loops;
    std::optional<size_t> steps;  // the loop whose iterations are the steps of the program
    std::string why_none;         // reason, if there is no such loop
};

}  // namespace memtrace::analyzer
