// SPDX-License-Identifier: Apache-2.0
//
// One line of `memtrace doctor`.
#pragma once

#include <string>
#include <vector>

namespace memtrace::launcher {

enum class State : char {
    ok,       // recorded, or of no consequence
    limited,  // recorded with a restriction, which the line names
    no,       // not recorded
};

struct Finding {
    std::string subject;  // "glibc"; a subject may have several findings
    State state = State::ok;
    std::string found;   // a clause: what is there, and what it means for a recording
    std::string advice;  // a sentence; empty if there is nothing to do
};

using Findings = std::vector<Finding>;

// Returns the word of a state, as the text and the JSON have it.
constexpr const char* word_of(State state) {
    return state == State::ok ? "ok" : state == State::limited ? "limited" : "no";
}

}  // namespace memtrace::launcher
