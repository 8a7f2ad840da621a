// SPDX-License-Identifier: Apache-2.0
//
// Switches the recording off when somebody asks (`memtrace stop`, option start=later), so that it
// can be switched on again (session/waking.h). Nobody is signalled and no thread waits: a thread
// that has an event looks what was asked, and switches for all.
//
//   * A process that records looks now and then (rss_sampler.h). Until then its events are
//     recorded, after which nobody asked.
//   * A process that sleeps looks at each event, by is_asleep().
//
// The record of the switch is in the file before the first event that was recorded because of it,
// and before any event that was not.
#pragma once

#include <cstdint>

#include "memtrace/dump/records.h"

namespace memtrace::preload {

class ThreadLane;

// True if others can reach the words of this process, and it can obey.
bool can_be_asked();
// Tells others that they can ask, and if the process begins asleep. Call when the dump is open.
void announce(SwitchState begins);
// Puts the process to sleep while no thread records.
void begin_sleep();
// The number that wakes this process up (is_asleep()).
const uint64_t* alarm();

// Called while an event is recorded. Returns true if the process sleeps now.
bool fall_asleep_if_asked(ThreadLane& lane);

// Writes the record. Called while the process is still as it was.
void put_switch(ThreadLane& lane, SwitchState state);

}  // namespace memtrace::preload
