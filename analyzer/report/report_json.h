// SPDX-License-Identifier: Apache-2.0
//
// The report for programs: one JSON document for each dump, schema 1. Fields are added, never
// renamed. Everything is in it, whatever the text options say; names are full.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_list.h"

namespace memtrace::analyzer {

// Which sites a document lists.
enum class SiteFilter : uint8_t { all, leaked, at_peak, none };

struct JsonOptions {
    uint64_t frames_max = listed_frames_max;  // of each space, about: see site_list.h
    bool interpreter_frames = false;          // those that stack_view.h leaves out too
    std::string more;                         // further members of the document, as text
};

// Writes the document piece by piece, because every stack of a large program may not fit into
// memory.
void write_json(const Recording& recording, SiteFilter filter,
                const std::function<void(std::string_view)>& write,
                const JsonOptions& options = {});

}  // namespace memtrace::analyzer
