// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check` as SARIF 2.1.0, which code hosts show as alerts beside the lines of a
// change. All dumps are one run. Each kind of limit is a rule, and each call site to blame a
// result.
#pragma once

#include <string>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

std::string sarif_text(const std::vector<CheckedDump>& dumps);

// Returns a relative path as a URI. Characters that a URI cannot contain are percent-encoded.
std::string uri_of(const std::string& path);

}  // namespace memtrace::analyzer
