// SPDX-License-Identifier: Apache-2.0
//
// Files of pprof (export_pprof.cpp) of one run, read back: the difference between two moments, and
// a text for people.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::analyzer {

// Returns the file of what happened between two moments: each value is that of `later` less that of
// `earlier`, and may be below 0. Samples without a change are left out, and so are peaks: of a
// difference there is none. Both are of the same run, so a stack has the same names in both. Throws
// Error if one of them is no such file.
std::string pprof_between(std::string_view earlier, std::string_view later);

// Returns the samples in the form of Go's debug=1, without addresses: what is in use, what was
// allocated, and the call stack; the largest first.
std::string pprof_text(std::string_view file);

}  // namespace memtrace::analyzer
