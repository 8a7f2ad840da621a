// SPDX-License-Identifier: Apache-2.0
//
// Searches for lost blocks when the work ends. An interpreter of Python frees its objects, and with
// them its garbage, before the program ends, so then the search comes first. Such a program is
// searched at its end as well if it has gone on without the interpreter.
#pragma once

#include "preload/lost/lost_search.h"

namespace memtrace::preload {

// An interpreter begins to end. See set_python_end_observer().
[[gnu::noinline]] void search_lost_at_python_end(ThreadLane& lane);

// `caller`: of the function that ends the program.
void search_lost_at_end(CallerState caller);

}  // namespace memtrace::preload
