// SPDX-License-Identifier: Apache-2.0
//
// Turns full rings into chunks: slots -> columns -> zstd -> file. The thread whose ring is full
// runs this code; there is no other thread to wait for.
//
// Draining needs scratch memory, a workspace, which is kept for the next drain. A workspace is
// address space for the largest possible chunk; only what a chunk fills is ever touched. There
// are as many workspaces as threads have ever drained at the same moment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memtrace/dump/columns.h"
#include "memtrace/dump/format.h"
#include "preload/writer/ring.h"

namespace memtrace::preload {

// Bytes of text in one record, at most.
inline constexpr size_t long_text_max = 8192;

// Moves all slots of a lane's ring into chunks. Returns false if the file cannot take them; the
// slots are then still in the ring. `drained_time` is the time of the last record that is in a
// chunk.
bool drain(Ring& ring, uint32_t lane_number, uint64_t& drained_time);

// Writes the first chunk of a dump: what is known about the process before any event. `state`: if
// it is recorded from the start.
bool write_process_chunk(const Process& process, SwitchState state = SwitchState::on);

// Forgets the workspaces. For a forked child.
void forget_workspaces();

}  // namespace memtrace::preload
