// SPDX-License-Identifier: Apache-2.0
//
// What a program asks about lost blocks while it runs.
#pragma once

namespace memtrace::preload {

// Searches now and waits for the answer. Returns true if blocks are definitely or indirectly lost.
[[gnu::noinline]] bool check_lost();

// This thread's blocks are left out of searches while the sum of its changes is above 0.
void change_lost_scope(int change);

}  // namespace memtrace::preload
