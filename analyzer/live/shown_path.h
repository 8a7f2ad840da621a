// SPDX-License-Identifier: Apache-2.0
//
// A sentence about a file that was opened where another process has it ("/proc/4711/fd/5"), and
// that the reader knows by another name.
#pragma once

#include <string>

#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {

// Returns the text with `name` in place of `path`; the text as it is if `name` is empty. The path
// is that of one file only if no digit follows it.
inline std::string shown_path(std::string text, const std::string& path, const std::string& name) {
    if (name.empty() || path.empty()) return text;
    const std::string shown = printable(name);
    for (size_t at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
        const size_t end = at + path.size();
        const bool is_other = end < text.size() && text[end] >= '0' && text[end] <= '9';
        if (!is_other) text.replace(at, path.size(), shown);
        at += is_other ? path.size() : shown.size();
    }
    return text;
}

}  // namespace memtrace::analyzer
