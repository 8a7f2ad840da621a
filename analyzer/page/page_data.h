// SPDX-License-Identifier: Apache-2.0
//
// The data of a page: a recording with the histories of its sites, as one JSON text. The page's
// program reads it (web/src/data.ts declares its members).
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/base/json_text.h"
#include "analyzer/growth/growth.h"
#include "analyzer/page/page_options.h"
#include "analyzer/page/page_stacks.h"
#include "analyzer/sites/own_lines.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// What was found about a recording, beside its figures.
struct PageFindings {
    Growth growth = {};
    Json training = nullptr;  // training/training_json.h; null: the program does not train
};

// `stacks` and `lines` are those of the recording.
std::string page_data(const Recording& recording, const PageStacks& stacks, const OwnLines& lines,
                      const PageFindings& findings, const PageOptions& options);

}  // namespace memtrace::analyzer
