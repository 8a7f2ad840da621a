// SPDX-License-Identifier: Apache-2.0
//
// Fetches debug information from the network, only if the user requests it (--debuginfod).
#pragma once

#include <string>

namespace memtrace::analyzer {

// Returns a sentence that names what is missing for a download, or an empty text. A download needs
// an installed client library and DEBUGINFOD_URLS.
std::string debuginfod_obstacle();

// Returns the path of the downloaded or cached debug file for a build-id (raw bytes); empty if no
// server has it.
std::string fetch_debug_file(const std::string& build_id);

}  // namespace memtrace::analyzer
