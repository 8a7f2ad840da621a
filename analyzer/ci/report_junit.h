// SPDX-License-Identifier: Apache-2.0
//
// What `check` found as JUnit XML, which CI systems show beside test results: a suite for each
// dump, a case for each limit, and one for whether the recording can be judged at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

std::string junit_text(const std::vector<CheckedDump>& dumps);

// For an attribute or for text. What XML 1.0 cannot hold, and bytes that are no UTF-8, become
// U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace memtrace::analyzer
