// SPDX-License-Identifier: Apache-2.0
//
// The path of the dump: MEMTRACE_OUTPUT with its patterns, and what happens if a file of that name
// exists already.
#pragma once

#include <cstdint>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

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
