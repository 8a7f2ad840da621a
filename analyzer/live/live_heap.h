// SPDX-License-Identifier: Apache-2.0
//
// The heap of a running program as pprof reads it.
#pragma once

#include <string>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Returns profile.proto, packed by gzip, as `export --format pprof --measure held` writes it.
std::string live_heap(Model model);

}  // namespace memtrace::analyzer
