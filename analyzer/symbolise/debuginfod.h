// SPDX-License-Identifier: Apache-2.0
//
// Debug information from the network, only when the user asks for it (--debuginfod).
#pragma once

#include <string>

namespace memtrace::analyzer {

// Whether anything can be fetched: the client library is installed and DEBUGINFOD_URLS is set.
// Otherwise a sentence that says what is missing.
std::string debuginfod_obstacle();

// Path of the downloaded (or cached) debug file for a build-id (raw bytes); empty: nobody has it.
std::string fetch_debug_file(const std::string& build_id);

}  // namespace memtrace::analyzer
