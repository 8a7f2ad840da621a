// SPDX-License-Identifier: Apache-2.0
//
// Where the dump goes: MEMTRACE_OUTPUT with its patterns, and what to do where a file of that name
// is already there. Also the few facts about the process that names are made of.
#pragma once

#include <cstdint>
#include <string_view>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

// The value of an environment variable as it was when the process started, also before libc has
// set `environ`. Empty: not set.
std::string_view starting_environment(const char* name);

// "RANK=3", from the variables that launchers set; empty: none.
std::string_view rank_variable();

// The process's command line, arguments ended by zero bytes.
std::string_view command_line();

// Field 22 of /proc/<pid>/stat: when the process started. 0: there is no such process.
uint64_t process_start_of(int pid);

// Field 4: its parent. 0: there is no such process.
int parent_of(int pid);

void find_executable(Path& path);

// The absolute path for this process's dump. `is_child`: started or forked by a recorded process;
// then a fixed name gets the pid behind it.
void make_output_path(Path& path, bool is_child);

// The next name to try after `attempt` names were taken: %n counts up, others get the pid behind.
void next_output_path(Path& path, unsigned attempt, bool is_child);

// A file of the wanted name is there. Under a fixed name (no %p, no %n), a dump that a dead process
// left is removed, or renamed if that process had children; true: the name is free now. Anything
// else is not touched; nor are dumps of processes that started at `keep_since` or later, if that is
// not 0: what one script starts one after the other does not replace each other's.
bool clear_stale_dump(const Path& path, uint64_t keep_since);

}  // namespace memtrace::preload
