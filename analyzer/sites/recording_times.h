// SPDX-License-Identifier: Apache-2.0
//
// What a reader must know of the times in which a program ran and was not recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// True if the recording was never on.
bool is_never_on(const std::vector<RecordingGap>& gaps);

// True if something is held as far as the recording says, and may have gone while it was off.
bool holds_unsure(const Model& model);

// Returns a clause, and what to do: the recording has not begun, or it was stopped. Empty: it is
// on, or was on to the end. `pid`: the program's, if it still runs, or else 0.
std::string off_text(const std::vector<RecordingGap>& gaps, uint64_t pid);

// Returns clauses about all of them, and about the figures that are not sure because of them.
std::vector<std::string> recording_times(const Model& model);

// Returns a sentence about why there is no course of what was held over time; empty: there is one.
std::string no_course_text(const Recording& recording);

// Returns "12 frees of blocks from before the recording began"; empty: there were none.
std::string earlier_frees_text(const Capture& capture);

}  // namespace memtrace::analyzer
