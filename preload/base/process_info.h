// SPDX-License-Identifier: Apache-2.0
//
// A few facts about processes, read from /proc and the environment: names of dumps consist of them,
// and the dump contains some.
#pragma once

#include <cstdint>
#include <string_view>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

// Returns the value that an environment variable had when the process started, also before libc has
// set `environ`. Empty if it was not set.
std::string_view starting_environment(const char* name);

// Returns the rank as "RANK=3", from the variables that launchers set; empty if there is none.
std::string_view rank_variable();

// Returns the process's command line. A zero byte ends each argument.
std::string_view command_line();

// Returns field 22 of /proc/<pid>/stat, the start time of the process; 0 if there is no such
// process.
uint64_t process_start_of(int pid);

// Returns field 4, the parent of the process; 0 if there is no such process.
int parent_of(int pid);

// Appends the path of the program that the process runs; "unknown" if the kernel does not tell it.
// If somebody ran the dynamic loader with the program as its argument (ld.so PROGRAM), the kernel
// takes the loader for the executable. This finds the program.
void find_executable(Path& path);

// Returns the path in the line of /proc/<pid>/maps that has `address`; empty if there is none.
std::string_view mapped_file_at(uint64_t address, std::string_view maps);

}  // namespace memtrace::preload
