// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check` as workflow commands of GitHub Actions, for example
// `::error file=src/net.py,line=42,title=…::…`. GitHub shows them beside the lines of a change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

// Returns at most ten errors and ten warnings, the worst errors first, because GitHub shows no more
// for one step. A notice gives the number of the others.
std::string annotations_text(const std::vector<CheckedDump>& dumps);

std::string escaped_message(std::string_view text);   // for text after the second ::
std::string escaped_property(std::string_view text);  // for a value between the two

}  // namespace memtrace::analyzer
