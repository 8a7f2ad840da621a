// SPDX-License-Identifier: Apache-2.0
//
// Whose malloc a program would use, and what that means for its recording.
#pragma once

#include <string_view>

#include "launcher/doctor/finding.h"
#include "launcher/doctor/loaded_objects.h"

namespace memtrace::launcher {

// Returns the functions that judge_allocators() knows allocators and sanitizers by.
std::vector<std::string> entries_of_allocators();

// `python_malloc` is $PYTHONMALLOC. If `loaded` has no objects, nothing is known.
Findings judge_allocators(const LoadedObjects& loaded, std::string_view python_malloc);

}  // namespace memtrace::launcher
