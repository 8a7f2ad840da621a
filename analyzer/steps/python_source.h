// SPDX-License-Identifier: Apache-2.0
//
// Reads the control flow of Python's source (source_tree.h): indentation and the first words of
// lines are enough for it. Text that is not Python gives a tree that may be wrong, and no error.
#pragma once

#include <string_view>

#include "analyzer/steps/source_tree.h"

namespace memtrace::analyzer {

SourceTree python_tree(std::string_view text);

}  // namespace memtrace::analyzer
