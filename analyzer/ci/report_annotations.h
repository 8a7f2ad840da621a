// SPDX-License-Identifier: Apache-2.0
//
// What `check` found as workflow commands of GitHub Actions, which shows them beside the lines of a
// change: `::error file=src/net.py,line=42,title=…::…`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

// At most ten of a kind are shown by GitHub for one step, so there are no more; the worst come
// first.
std::string annotations_text(const std::vector<CheckedDump>& dumps);

std::string escaped_message(std::string_view text);   // behind the second ::
std::string escaped_property(std::string_view text);  // between the two

}  // namespace memtrace::analyzer
