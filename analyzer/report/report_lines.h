// SPDX-License-Identifier: Apache-2.0
//
// The report `lines`: a source file with the memory figures of its lines.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

struct SourceFile {
    std::string path;               // as recorded
    std::string read;               // path of the text that was read; empty: not found
    bool changed = false;           // after the end of the recording
    std::vector<std::string> text;  // by line, from 0
};

// Returns the file in the stacks that `wanted` names, and its text. The text is read at the
// recorded path below `sysroot` (if not empty), at the recorded path, or at `wanted` itself.
// Throws Error if no stack passes through such a file.
SourceFile find_source_file(const Recording& recording, const std::string& wanted,
                            const std::string& sysroot);

// Writes the figures of one space: the space that the options name, else the first one with
// figures in this file.
void write_lines(std::string& out, const Recording& recording, const SourceFile& source,
                 const TextOptions& options);

// Returns members of a JSON object, without its brackets: the lines with figures, of all spaces.
std::string lines_json(const Recording& recording, const SourceFile& source);

}  // namespace memtrace::analyzer
