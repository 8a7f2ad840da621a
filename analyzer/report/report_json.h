// SPDX-License-Identifier: Apache-2.0
//
// The report for programs: one JSON document per dump, schema 1. Fields are added, never renamed.
// The document is complete, independent of the options for text. Names are not shortened.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_list.h"

namespace memtrace::analyzer {

// Selects the sites that a document lists.
enum class SiteFilter : uint8_t { all, leaked, at_peak, none };

struct JsonOptions {
    uint64_t frames_max = listed_frames_max;  // approximate limit per space: see site_list.h
    bool interpreter_frames = false;          // also the frames that stack_view.h leaves out
    std::string more;                         // further members of the document, as text
};

// Writes the document piece by piece, because with all stacks of a large program it may be too
// large for memory.
void write_json(const Recording& recording, SiteFilter filter,
                const std::function<void(std::string_view)>& write,
                const JsonOptions& options = {});

}  // namespace memtrace::analyzer
