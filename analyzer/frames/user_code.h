// SPDX-License-Identifier: Apache-2.0
//
// Which code is the user's own, and which is somebody else's that it only uses. Call sites are
// named by one's own functions and shown at one's own lines; some suppressions spare own code.
//
// By itself it is told by where files lie: what the system or a package manager has installed is
// not one's own. Where that is wrong (libraries that are kept in the project; one's own package
// that is installed), memtrace.toml says otherwise:
//
//   [code]
//   own       = ["/usr/lib/ours", "site-packages/our_*"]
//   libraries = ["third_party", "/opt/vendor"]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

// Patterns of paths: * is any text, also of several folders, ? any character. One that begins with
// / is of a whole path, another one of its end from the beginning of any part on. What lies in a
// folder that fits, fits as well.
struct CodePatterns {
    std::vector<std::string> own;
    std::vector<std::string> libraries;
};

bool matches_path(std::string_view pattern, std::string_view path);

// Of a function both its source file and its module may fit. If patterns of both lists do, the
// longest one counts, because "src/third_party" says more than "src"; of two as long, own.
bool is_user_code(const Frame& frame, const CodePatterns& patterns = {});

}  // namespace memtrace::analyzer
