// SPDX-License-Identifier: Apache-2.0
//
// Finds the dump that a process is writing. The process holds it open, so the kernel knows it: also
// in another container, and after somebody has deleted or renamed the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memtrace::analyzer {

struct RecordedProgram {
    uint64_t pid = 0;       // of the process, as it is numbered here; 0: it does not run here
    std::string command;    // its name, for people
    std::string dump;       // where the dump can be opened now
    std::string dump_name;  // the path that the program gave it
};

// All processes that record now and that this user may look into.
std::vector<RecordedProgram> find_recorded_programs();

// Returns the program that `name` means: a process id, or a dump. Empty: the only program that
// records on this machine. Throws Error with a sentence if there is none, or if there are several.
RecordedProgram find_program(const std::string& name);

// Throws Error with a sentence if the program of this dump does not run any more.
void require_running(const RecordedProgram& program);

}  // namespace memtrace::analyzer
