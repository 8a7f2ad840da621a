// SPDX-License-Identifier: Apache-2.0
//
// What `check` found as SARIF 2.1.0, which code hosts show as alerts beside the lines of a change:
// one run for all dumps, a rule for each kind of limit, a result for each call site to blame.
#pragma once

#include <string>
#include <vector>

#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

std::string sarif_text(const std::vector<CheckedDump>& dumps);

// A relative path as a URI: what may not stand there is percent-encoded.
std::string uri_of(const std::string& path);

}  // namespace memtrace::analyzer
