// SPDX-License-Identifier: Apache-2.0
//
// The page of a recording.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/page/page_bundle.h"
#include "analyzer/page/page_data.h"
#include "analyzer/page/page_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct Page {
    std::string html;
    uint64_t stacks = 0;         // recorded call sites of all spaces
    uint64_t folded_stacks = 0;  // of these: shown at a caller, because the page is bounded
};

// The recording must have histories. Fewer nodes of the call tree are kept until the page has at
// most PageOptions::bytes_max bytes. Throws Error if `bundle` is empty.
Page make_page(const Recording& recording, const PageFindings& findings, const PageBundle& bundle,
               const PageOptions& options);

}  // namespace memtrace::analyzer
