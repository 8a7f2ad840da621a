// SPDX-License-Identifier: Apache-2.0
//
// `lines`: a source file with the memory beside its lines.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

struct SourceFile {
    std::string path;               // as recorded
    std::string read;               // where the text was found; empty: nowhere
    bool changed = false;           // after the recording had ended
    std::vector<std::string> text;  // by line, from 0
};

// The file of stacks that `wanted` means, and its text: at its recorded path, below `sysroot` if
// that is not empty, or at `wanted` itself. Throws Error if no stack comes through such a file.
SourceFile find_source_file(const Recording& recording, const std::string& wanted,
                            const std::string& sysroot);

// Of one space: the one that options name, else the first that has anything in this file.
void write_lines(std::string& out, const Recording& recording, const SourceFile& source,
                 const TextOptions& options);

// Members of a JSON object, without its brackets: of all spaces, lines that have figures.
std::string lines_json(const Recording& recording, const SourceFile& source);

}  // namespace memtrace::analyzer
