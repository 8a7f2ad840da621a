// SPDX-License-Identifier: Apache-2.0
//
// Tells the user's own code from libraries that it uses. Call sites are named by functions of the
// user's own code and shown at its lines. Some suppressions do not apply to own code.
//
// By default the location of a file decides: files that the system or a package manager installed
// are not own code. If that is wrong (for libraries inside the project, or for an installed package
// of the user's own), memtrace.toml overrides it:
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

// Patterns of paths. * is any text, also across folders, and ? is any character. A pattern that
// begins with / matches a whole path. Any other pattern matches the end of a path, from the
// beginning of one of its parts. Everything inside a matching folder matches as well.
struct CodePatterns {
    std::vector<std::string> own;
    std::vector<std::string> libraries;
};

bool matches_path(std::string_view pattern, std::string_view path);

// True if Python gave this name to code that a person typed or that a document contains.
bool is_typed(std::string_view file);

// True if a source file is none of the user's, although what was compiled from it may be part of
// the user's program: headers and crates of installed libraries, code that a library made
// ("<string>").
bool is_foreign_source(std::string_view file);

// True if the frame is the user's own code. The source file or the module of a function may match.
// If patterns of both lists match, the longest pattern counts, because "src/third_party" is more
// specific than "src". Between two of the same length, `own` counts.
bool is_user_code(const Frame& frame, const CodePatterns& patterns = {});

// Returns the same for a frame that is known to be interesting (frame_filter.h), without the time
// that finding that out takes.
bool is_user_code_if_interesting(const Frame& frame, const CodePatterns& patterns);

}  // namespace memtrace::analyzer
