// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check` as Markdown, for the summary of a CI job or a comment. It contains the
// limits as a table, and the call sites to blame with their earlier figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

std::string markdown_text(const std::vector<CheckedDump>& dumps);

// Escapes text so that Markdown shows it literally, also in a cell of a table.
std::string markdown_escaped(std::string_view text);

}  // namespace memtrace::analyzer
