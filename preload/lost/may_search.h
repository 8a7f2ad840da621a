// SPDX-License-Identifier: Apache-2.0
//
// Whether a search for lost blocks is possible now.
#pragma once

#include "memtrace/dump/lost_records.h"
#include "preload/base/fixed_text.h"

namespace memtrace::preload {

// From now on nothing is searched, because of `why`, a clause: "the program has set a filter".
void forbid_lost_searches(const char* why);

// Returns false, with a sentence, if it is not.
bool may_search(LostCause cause, Line& why);

}  // namespace memtrace::preload
