// SPDX-License-Identifier: Apache-2.0
//
// What is known about a running program as a whole: its command, its resident set, its dump.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/live/find_program.h"
#include "analyzer/live/live_dump.h"
#include "analyzer/live/top_view.h"

namespace memtrace::analyzer {

// Bytes of the resident set now, or as the dump had it last; 0: not known.
uint64_t resident_now(const RecordedProgram& program, const LiveDump& dump);

// The part of the resident set that is memtrace's, as the dump had it last; 0: not known.
uint64_t own_resident_now(const LiveDump& dump);

TopProgram facts_of(const RecordedProgram& program, const LiveDump& dump);

}  // namespace memtrace::analyzer
