// SPDX-License-Identifier: Apache-2.0
//
// What tests ask of the control flow of a source file.
#pragma once

#include <cstdint>

#include "analyzer/steps/source_tree.h"
#include "tests/unit/test.h"

namespace memtrace::analyzer {

// Returns the line of the innermost loop around a line; 0: none.
inline uint32_t loop_line(const SourceTree& tree, uint32_t line) {
    const auto block = tree.at(line);
    REQUIRE(block);
    const auto loop = tree.loop_of(*block);
    return loop ? tree[*loop].line : 0;
}

}  // namespace memtrace::analyzer
