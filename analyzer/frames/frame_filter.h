// SPDX-License-Identifier: Apache-2.0
//
// Which frames of a stack are the user's own business? Not the C and C++ libraries, not allocators
// and their wrappers, not what comes before main. Reports for people name a site by its innermost
// interesting frame; reports for programs keep every frame.
#pragma once

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

bool is_interesting(const Frame& frame);

}  // namespace memtrace::analyzer
