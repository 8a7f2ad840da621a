// SPDX-License-Identifier: Apache-2.0
//
// The process that writes a dump: whether it still runs. Its dump has its process id, as the
// process itself sees it, and its start time, which no other process of this boot has with that id.
// A lock on the file would not do: a child that is not recorded holds it, too, after its parent is
// dead.
#pragma once

#include <cstdint>
#include <string>

namespace memtrace::analyzer {

// Returns a field of /proc/PID/stat, counted from 1 as proc(5) does, from the third on; empty if
// there is none. `process` is the folder: "/proc/4711".
std::string process_stat(const std::string& process, int field);

// Returns the id of a process in its innermost namespace; 0 if it cannot be known.
uint64_t inner_process_id(const std::string& process);

// Returns the id here of the process with this id in its own namespace and with this start time
// (field 22 of /proc/PID/stat), if it runs on this machine and can be seen from here; else 0. A
// zombie does not run. In a container a process has another id than outside of it.
uint64_t running_process(uint64_t inner_id, uint64_t start);

}  // namespace memtrace::analyzer
