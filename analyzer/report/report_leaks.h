// SPDX-License-Identifier: Apache-2.0
//
// What nobody has given back, by call site: when the program's work ended, or, where nothing has
// changed since, at the end.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_leaks(std::string& out, const Recording& recording, const TextOptions& options);

// "1.5 KiB (1,536 bytes) in 3 blocks"; an estimate has no exact figure.
std::string amount_text(const Space& space, uint64_t bytes, uint64_t blocks);

// How much of the arenas the objects fill.
void write_arenas_of(std::string& out, const Recording& recording, const Space& space,
                     uint64_t arenas, uint64_t objects, const TextOptions& options);

// What is alive at the end.
void write_alive_of(std::string& out, const Recording& recording, const Space& space,
                    const TextOptions& options);
// What was held when the work ended, if that is not the same.
void write_leaks_of(std::string& out, const Recording& recording, const Space& space,
                    const TextOptions& options);
// What the driver gave is mostly kept to the end; then it need not be listed twice.
void write_leaks_in_summary(std::string& out, const Recording& recording, const Space& space,
                            const TextOptions& options);

}  // namespace memtrace::analyzer
