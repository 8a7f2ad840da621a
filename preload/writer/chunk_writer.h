// SPDX-License-Identifier: Apache-2.0
//
// Full rings become chunks: slots -> columns -> zstd -> file. Run by the thread whose ring is full;
// there is no other thread that anyone could have to wait for.
//
// Needs scratch memory, a workspace, which is kept for the next drain: address space for the
// largest chunk that can be, of which only what a chunk fills is ever touched. There are as many
// workspaces as threads ever drained at the same moment.
#pragma once

#include "memtrace/dump/columns.h"
#include "memtrace/dump/format.h"

namespace memtrace::preload {

class Lane;

// Moves everything that the lane's ring holds into chunks. False: the file cannot take them; the
// slots are still in the ring.
bool drain(Lane& lane);

// Writes the first chunk of a dump: what is known of the process before any event.
bool write_process_chunk(const Process& process);

// Forgets the workspaces, for a forked child.
void forget_workspaces();

}  // namespace memtrace::preload
