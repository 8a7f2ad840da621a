// SPDX-License-Identifier: Apache-2.0
//
// A comparison as one HTML page: what explains the differences, a red-blue flame graph, and tables
// of all lines and call sites. Its numbers are those of the JSON document (diff_json.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/base/json_text.h"
#include "analyzer/diff/diff.h"
#include "analyzer/page/page_bundle.h"
#include "analyzer/page/page_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// What the page says of a recording as a whole: the program, and what was not recorded.
struct DiffPageSide {
    Json program;
    Json remarks;
};
DiffPageSide make_diff_page_side(const Recording& recording, const PageOptions& options);

struct DiffPage {
    std::string html;
    uint64_t stacks = 0;         // different call stacks of both recordings in all spaces
    uint64_t folded_stacks = 0;  // of these: shown at a caller, because the page is bounded
};

// The sides of `diff` must have been made for a page. The file has at most PageOptions::bytes_max
// bytes. Throws Error if `bundle` is empty.
DiffPage make_diff_page(const Diff& diff, const DiffPageSide& before, const DiffPageSide& after,
                        const PageBundle& bundle, const PageOptions& options);

}  // namespace memtrace::analyzer
