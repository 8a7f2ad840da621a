// SPDX-License-Identifier: Apache-2.0
//
// Messages of memtrace-report, or of memtrace as its front, about itself, on standard error.
// Reports never use it.
#pragma once

#include <string>

namespace memtrace::analyzer {

// `program` is the name in front of each message.
void start_log(bool verbose, const std::string& program = "memtrace-report");

void log_error(const std::string& sentence);
void log_note(const std::string& sentence);    // worth knowing, but nothing is wrong
void log_detail(const std::string& sentence);  // only with --verbose

}  // namespace memtrace::analyzer
