// SPDX-License-Identifier: Apache-2.0
//
// The part of a recording that a Model contains, in words: its phase, range and filters.
#pragma once

#include <string>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// "from step 5 to 2.5s", "from 90": the range as typed.
std::string range_text(const AskedRange& range);

// The filters as words of a command, as typed: {"--thread", "loader*", "--own"}.
std::vector<std::string> filter_words(const SiteFilters& filters);

// "--thread loader* --own": the same as a text.
std::string filters_text(const SiteFilters& filters);

// Everything that was selected: `--phase load, from 1s to 2s, --own`; empty: the whole recording.
std::string selection_text(const Model& model);

// Why filters left nothing of a recording that has something: "no call site passes --function f
// (without it: 8.6 MiB at the peak of host)". Empty if something is left, or there was nothing.
std::string nothing_passes_text(const Model& model);

}  // namespace memtrace::analyzer
