// SPDX-License-Identifier: Apache-2.0
//
// What a page says of the run as a whole: the program, its course, and what was not recorded.
#pragma once

#include "analyzer/base/json_text.h"
#include "analyzer/page/page_names.h"
#include "analyzer/page/page_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Returns what ran, how long, how it ended, and how it was recorded.
Json page_program_json(const Recording& recording, const PageNames& names,
                       const PageOptions& options);

// Returns what the recording lacks, in sentences: [[subject, sentence], …].
Json page_remarks_json(const Recording& recording, const PageOptions& options);

// Returns the members of the page's data that are about the run: "program", "filters", "slices",
// "nothing", "no_course", "course_ends", "lost", "samples", "phases", "marks", "left_out",
// "refusals" and "remarks".
Json page_run_json(const Recording& recording, const PageNames& names, const PageOptions& options);

}  // namespace memtrace::analyzer
