// SPDX-License-Identifier: Apache-2.0
//
// The report `threads`: what each thread allocated and held, and which own line most of it was.
//
//   CALLS  ALLOCATED    AT PEAK       HELD  BY OTHERS  THREAD
//   1,234    2.0 MiB  100.0 KiB   50.0 KiB    1.0 KiB  4711 loader
//                                                        mostly data.py:41 load, 90.0 KiB
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

void write_threads(std::string& out, const Recording& recording, const TextOptions& options);

// Returns a member of a JSON object, without its brackets: an entry for each thread.
std::string threads_memory_json(const Recording& recording);

}  // namespace memtrace::analyzer
