// SPDX-License-Identifier: Apache-2.0
//
// Reads the control flow of C and C++ source (source_tree.h): keywords, brackets and semicolons are
// enough for it, and macros. Text that is not C++ gives a tree that may be wrong, and no error.
#pragma once

#include <string_view>

#include "analyzer/steps/cpp_tokens.h"
#include "analyzer/steps/source_tree.h"

namespace memtrace::analyzer {

// `read_header`: for the macros of headers.
SourceTree cpp_tree(std::string_view text, CppMacros::Read read_header = {});

}  // namespace memtrace::analyzer
