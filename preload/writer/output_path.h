// SPDX-License-Identifier: Apache-2.0
//
// The path of the dump: MEMTRACE_OUTPUT with its patterns, and what happens if a file of that name
// exists already.
#pragma once

#include <cstdint>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

// Appends the absolute path for this process's dump. `is_child`: started or forked by a recorded
// process; then the pid is appended to a fixed name. In a folder, the dump gets its default name.
void make_output_path(Path& path, bool is_child);

// Returns true if something is at `path` beside which no dump should appear either: a device, a
// pipe, a socket.
bool is_no_place_for_a_dump(const char* path);

// Replaces `path` by the next name to try after `attempt` names were taken: %n counts up, and
// other names get the pid appended.
void next_output_path(Path& path, unsigned attempt, bool is_child);

// Called when a file of the requested name exists. Returns true if the name is free now.
//   * The dump of this process from before an exec is renamed, so that the last image of a process
//     has the requested name. With %n, each image has a number.
//   * Under a fixed name (no %p, no %n), a dump that a dead process left is removed, or renamed if
//     that process had children. The dump of a process that still ran when this one began stays.
//     If `keep_since` is not 0, dumps of processes that started then or later stay, so that
//     processes which one script starts in turn do not replace each other's dumps.
// Nothing else is touched.
bool clear_stale_dump(const Path& path, uint64_t keep_since);

}  // namespace memtrace::preload
