// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check` as JUnit XML, which CI systems show beside test results. Each dump is a
// suite, and each limit a case. One more case tells whether the recording can be judged at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

std::string junit_text(const std::vector<CheckedDump>& dumps);

// Escapes text for an attribute or an element. Characters that XML 1.0 cannot contain, and bytes
// that are not UTF-8, become U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace memtrace::analyzer
