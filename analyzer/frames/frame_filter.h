// SPDX-License-Identifier: Apache-2.0
//
// Tells the frames that interest a reader from plumbing: the C and C++ libraries, allocators and
// their wrappers, and everything before main. Reports for people name a site by its innermost
// interesting frame. Reports for programs keep every frame.
#pragma once

#include <string_view>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

bool is_interesting(const Frame& frame);

// True if no frame of this file of code is interesting.
bool is_plumbing_module(std::string_view path);

}  // namespace memtrace::analyzer
