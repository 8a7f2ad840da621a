// SPDX-License-Identifier: Apache-2.0
//
// Converts addresses to names in one call: modules, symbol tables, debug information, demangling.
//
// Every address is looked up once. A module is opened only if a used stack goes through it. A file
// that is not the recorded one (by build-id) is never used. Nothing is fetched from the network
// unless requested. A node without a name still has a frame, so totals stay complete.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

// Names all nodes of the stacks that occur in `model`.
Symbols symbolise(const Model& model, const SymbolOptions& options, const Progress& progress = {});

// Names all nodes of these stacks. `stacks`: by node; 1 for a stack that is to be named, else 0.
Symbols symbolise(const StackTree& tree, std::vector<uint8_t> stacks, const SymbolOptions& options);

}  // namespace memtrace::analyzer
