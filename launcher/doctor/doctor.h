// SPDX-License-Identifier: Apache-2.0
//
// `memtrace doctor`: what will be recorded on this machine and what not, and what to do. It records
// a trial, and looks at what may be in the way.
#pragma once

#include <string>
#include <vector>

#include "launcher/doctor/finding.h"

namespace memtrace::launcher {

struct DoctorRequest {
    std::string output;   // a dump, as in MEMTRACE_OUTPUT; empty: that variable, or this folder
    std::string python;   // the interpreter to look at; empty: those in $PATH
    std::string json;     // file of the JSON, "-" for standard output; empty: no JSON
    std::string program;  // a program that is to be recorded; empty: none
};

struct Diagnosis {
    std::string system;  // "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
    bool works = false;  // The trial was recorded.
    Findings findings;
    // What was asked about by name and cannot be recorded: a program, a Python.
    std::vector<std::string> refused = {};

    // Whether what was asked about can be recorded.
    bool is_fine() const { return works && refused.empty(); }
};

Diagnosis examine(const DoctorRequest& request);

// Returns the lines for a person, for a terminal of `width` columns.
std::string doctor_text(const Diagnosis& diagnosis, size_t width, bool colour);

// Returns a document: {"schema", "version", "system", "recording", "checks": [{"subject", "state",
// "found", "advice"}]}.
std::string doctor_json(const Diagnosis& diagnosis);

// Examines, prints, and returns the exit code: 0 if a recording works here, also of a program or a
// Python that was named, 1 if not, 2 if the JSON cannot be written.
int run_doctor(const DoctorRequest& request);

}  // namespace memtrace::launcher
