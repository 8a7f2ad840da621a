// SPDX-License-Identifier: Apache-2.0
//
// The report `host`: what the resident set of the process consisted of, at its peak and when the
// work ended.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_host(std::string& out, const Recording& recording, const TextOptions& options);

// Returns a member of the JSON document: "host_ledger": {...}
std::string host_ledger_json(const Recording& recording);

// Returns one line for other reports without its end, or nothing if the recording has no ledger:
// "resident 276.4 MiB at most: 272.0 MiB heap, free but kept; ..."
std::string host_line(const Recording& recording);

// Returns why the recording has no ledger; empty: it has one.
std::string no_host_ledger(const Recording& recording);

}  // namespace memtrace::analyzer
