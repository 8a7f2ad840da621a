// SPDX-License-Identifier: Apache-2.0
//
// Makes the ledger of one moment: finds for each page what it is used for. A rule decides by
// address, the first that applies:
//
//   1. the shim's own mappings, and its library
//   2. mappings that the program made: arenas of Python, memory of a GPU's driver, others
//   3. [heap], and arenas of glibc, which begin at multiples of 64 MiB
//   4. a mapping that glibc made for one large block
//   5. the stack of a thread: it contains an address that a thread gave, or has a guard below it
//   6. the rest of a library's variables, directly behind the library's file
//   7. nothing: not explained
//
// A mapping of rule 2 in which blocks of the heap lie is the heap of another allocator.
#pragma once

#include "analyzer/ledger/held_memory.h"
#include "analyzer/ledger/host_snapshot.h"

namespace memtrace::analyzer {

// Times of the result are in ticks.
HostLedger make_host_ledger(const HostSnapshot& snapshot, HeldMemory held);

}  // namespace memtrace::analyzer
