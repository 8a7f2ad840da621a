// SPDX-License-Identifier: Apache-2.0
//
// The memory of the machine, and the limit that the control groups of this process set. So a report
// can tell when a leak will have used it all.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::preload {

// Returns the bytes of memory of the machine, or 0 if not known.
uint64_t machine_memory();

// Returns the lowest limit of the control groups of this process and all groups that contain it,
// for both versions of control groups. 0 if there is no limit. `root` is prepended to the paths of
// /proc and /sys.
uint64_t group_memory_limit(std::string_view root = "");

// Returns the bytes that this process can still take: what the machine has available, or what is
// left of the limits. The greatest number if neither is known.
uint64_t memory_room(std::string_view root = "");

}  // namespace memtrace::preload
