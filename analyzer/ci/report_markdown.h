// SPDX-License-Identifier: Apache-2.0
//
// What `check` found as Markdown, for the summary of a CI job or a comment: the limits as a table,
// the call sites to blame with what they had before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

std::string markdown_text(const std::vector<CheckedDump>& dumps);

// Text that Markdown takes for nothing but text, in one cell of a table.
std::string markdown_escaped(std::string_view text);

}  // namespace memtrace::analyzer
