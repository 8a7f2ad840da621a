// SPDX-License-Identifier: Apache-2.0
//
// The names of frames in exported files. They come from other people's programs and go to other
// people's tools, so they are valid UTF-8 without control characters, and of bounded length.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

inline constexpr size_t export_name_max = 1000;  // columns; longer names lose their middle

struct ExportName {
    std::string name;       // as in reports: without parameters and the like; never empty
    std::string full_name;  // as recorded
    std::string file;       // empty: not known
    uint32_t line = 0;      // 0: not known
    std::string module;     // the file of code; empty: none
};

// Also names no_frame and small_frame (export_stacks.h).
ExportName export_name(const Symbols& symbols, FrameId frame);

// Returns the name for readers that show names alone: every file of Python has a function <module>,
// so those have their file.
std::string unique_name(const ExportName& name);

// Returns `text` as it may stand in a file.
std::string exported_text(const std::string& text);

}  // namespace memtrace::analyzer
