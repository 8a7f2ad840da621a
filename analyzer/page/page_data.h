// SPDX-License-Identifier: Apache-2.0
//
// The data of a page: a recording with the histories of its sites, as one JSON text. The page's
// program reads it (web/src/data.ts declares its members).
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/growth/growth.h"
#include "analyzer/page/page_options.h"
#include "analyzer/page/page_stacks.h"
#include "analyzer/sites/own_lines.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// `stacks` and `lines` are those of the recording.
std::string page_data(const Recording& recording, const PageStacks& stacks, const OwnLines& lines,
                      const Growth& growth, const PageOptions& options);

}  // namespace memtrace::analyzer
