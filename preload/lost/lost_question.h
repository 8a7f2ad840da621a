// SPDX-License-Identifier: Apache-2.0
//
// What the reporter has to know of this process to search it, beside its memory: the thread that
// searches, the threads that have recorded something, the shim's own memory.
#pragma once

#include "memtrace/dump/lost_request.h"
#include "preload/lost/caller_state.h"

namespace memtrace::preload {

// Writes that into the request. `caller` is the program's frame that called the shim.
void describe_process(LostRequest& request, const CallerState& caller);

}  // namespace memtrace::preload
