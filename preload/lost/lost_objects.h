// SPDX-License-Identifier: Apache-2.0
//
// What the program itself says about searches for lost blocks, through LeakSanitizer's interface:
// blocks that should be left out, and memory that is looked through besides.
//
// Any thread may call any function at any time; nothing waits. What does not fit is counted.
#pragma once

#include <cstdint>

#include "memtrace/dump/lost_request.h"

namespace memtrace::preload {

// The block around this address is left out of every search from now on.
void ignore_lost_object(uint64_t address);

void add_lost_root(uint64_t begin, uint64_t bytes);
// Only a root that was added with these values is removed.
void remove_lost_root(uint64_t begin, uint64_t bytes);

// Returns how many did not fit.
uint64_t lost_objects_left_out();

// Writes all of them into the request.
void describe_lost_objects(LostRequest& request);

}  // namespace memtrace::preload
