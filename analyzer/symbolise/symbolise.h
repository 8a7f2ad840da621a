// SPDX-License-Identifier: Apache-2.0
//
// Addresses to names: modules, symbol tables, debug information, demangling, in one call.
//
// Promises: every address is looked up once; a module is opened only if a used stack goes through
// it; a file that is not the recorded one (build-id) is never used; nothing is fetched from the
// network unless asked; whatever has no name still has a frame, so totals never suffer.
#pragma once

#include "analyzer/base/progress.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

// Names all nodes that stacks of `model` lead through.
Symbols symbolise(const Model& model, const SymbolOptions& options, const Progress& progress = {});

}  // namespace memtrace::analyzer
