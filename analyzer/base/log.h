// SPDX-License-Identifier: Apache-2.0
//
// What memtrace-report says about itself, on standard error; reports never go through here.
#pragma once

#include <string>

namespace memtrace::analyzer {

void start_log(bool verbose);

void log_error(const std::string& sentence);
void log_note(const std::string& sentence);    // worth knowing, nothing is wrong
void log_detail(const std::string& sentence);  // only with --verbose

}  // namespace memtrace::analyzer
