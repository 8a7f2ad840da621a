// SPDX-License-Identifier: Apache-2.0
//
// How much memory there is: what the machine has, and what the control groups of this process let
// it have. So a report can say when a leak has taken it all.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::preload {

// Bytes of memory of the machine; 0: it does not say.
uint64_t machine_memory();

// The least that a control group of this process allows, its own or one that it lies in, of either
// version of control groups; 0: none says. `root` is put before the paths of /proc and /sys.
uint64_t group_memory_limit(std::string_view root = "");

}  // namespace memtrace::preload
