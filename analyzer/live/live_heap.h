// SPDX-License-Identifier: Apache-2.0
//
// The heap of a running program as pprof reads it.
#pragma once

#include <string>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Returns profile.proto, packed by gzip, as `export --format pprof --measure held` writes it.
std::string live_heap(Model model);

// The same as text, with the call stacks.
std::string live_heap_text(Model model);
// What has changed since live_heap() returned `earlier`.
std::string live_heap_since(const std::string& earlier, Model model);

}  // namespace memtrace::analyzer
