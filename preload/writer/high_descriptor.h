// SPDX-License-Identifier: Apache-2.0
//
// Numbers for the shim's descriptor that programs do not expect to get.
#pragma once

namespace memtrace::preload {

// Returns a duplicate with a number that is at least `wanted`, or with any if there is none; -1 if
// there is no descriptor left.
int duplicate_above(int fd, long wanted);

// Moves the descriptor away from the small numbers that programs expect to get.
int to_high_number(int fd);

}  // namespace memtrace::preload
