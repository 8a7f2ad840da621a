// SPDX-License-Identifier: Apache-2.0
//
// The user's own source lines that a page shows memory beside, where the files can be read. Of a
// long file, the lines around those with memory are taken.
#pragma once

#include <map>
#include <set>
#include <string>

#include "analyzer/base/json_text.h"
#include "analyzer/page/page_names.h"
#include "analyzer/page/page_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Returns for each file of own code among the frames of `names`: {"file", "changed", "lines":
// [[number, text], …]}, or "why" instead of lines.
Json page_sources_json(const Recording& recording, PageNames& names, const PageOptions& options);

// Returns the text of the lines of frames, without the blanks around it, where the file can be read
// and was not written since.
std::map<FrameId, std::string> page_source_lines(const Recording& recording,
                                                 const std::set<FrameId>& frames,
                                                 const PageOptions& options);

}  // namespace memtrace::analyzer
