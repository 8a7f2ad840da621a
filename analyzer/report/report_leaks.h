// SPDX-License-Identifier: Apache-2.0
//
// The report `leaks`: memory that was not released, by call site, at the end of the program's
// work. If nothing has changed since then, it is the memory at the end of the recording.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_leaks(std::string& out, const Recording& recording, const TextOptions& options);

// Returns for example "1.5 KiB (1,536 bytes) in 3 blocks". Estimates have no exact number of
// bytes.
std::string amount_text(const Space& space, uint64_t bytes, uint64_t blocks);

// Writes how much of the arenas the objects fill.
void write_arenas_of(std::string& out, const Recording& recording, const Space& space,
                     uint64_t arenas, uint64_t objects, const TextOptions& options);

// Writes the memory that is alive at the end.
void write_alive_of(std::string& out, const Recording& recording, const Space& space,
                    const TextOptions& options);
// Writes the memory held when the work ended, or if nothing changed after that, the memory alive
// at the end.
void write_leaks_of(std::string& out, const Recording& recording, const Space& space,
                    const TextOptions& options);
// Writes like write_leaks_of(), but only a single line for GPU memory that is still as large as at
// the peak. Memory from the driver usually is, and the same list would appear twice.
void write_leaks_in_summary(std::string& out, const Recording& recording, const Space& space,
                            const TextOptions& options);

}  // namespace memtrace::analyzer
