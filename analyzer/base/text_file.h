// SPDX-License-Identifier: Apache-2.0
//
// Text files that people write: a configuration, suppressions, a baseline. Their names come from a
// command line or from a file of the project, so a name may be that of anything.
#pragma once

#include <cstddef>
#include <string>

namespace memtrace::analyzer {

// The most that such a file may have, in bytes. Far more than any that is of use.
inline constexpr size_t text_file_max = size_t{16} << 20;

// Returns the contents of a file. `what` names its purpose in the sentences: "the baseline". If
// there is no such file, the sentence ends with `if_missing`.
//
// Throws Error if the file cannot be read, is a folder, a device or a named pipe, has more than
// `bytes_max` bytes, or changes meanwhile. A pipe that is open already, like the shell's <(…), is
// read to its end.
std::string read_text_file(const std::string& path, const std::string& what,
                           size_t bytes_max = text_file_max, const std::string& if_missing = "");

}  // namespace memtrace::analyzer
