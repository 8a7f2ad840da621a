// SPDX-License-Identifier: Apache-2.0
//
// Finds the file of a recorded module on this machine, and its debug information.
//
// The search order is: the recorded path (below the sysroot, if one is given), the debug paths by
// name, then debug files by build-id and by .gnu_debuglink. A file with another build-id than the
// recorded one is never returned.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/symbolise/elf_file.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

struct Binary {
    std::unique_ptr<ElfFile> image;  // the module itself; null: not found
    std::unique_ptr<ElfFile> debug;  // its separate debug file; null: none
    std::string rebuilt;             // path of the module's file if that has another build-id
};

Binary find_binary(const ModuleInfo& module, const SymbolOptions& options);

// Names the modules whose files were not found, by their paths; empty if that is of no interest.
std::string note_of_missing(const std::vector<std::string>& paths);

}  // namespace memtrace::analyzer
