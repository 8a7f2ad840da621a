// SPDX-License-Identifier: Apache-2.0
//
// Graphs of autograd that no backward pass went through: of an evaluation without no_grad(), or of
// an output that is detached at once. What they saved is given back with them.
//
//   run ├ forward … loss … run ┤ forward … answers │ given back ├ forward … loss … run ┤
//                               └── unused ────────┘
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/kinds/life_facts.h"

namespace memtrace::analyzer {

struct UnusedGraphs {
    uint64_t bytes = 0;  // of tensors that were saved for nothing, the most at once
    size_t times = 0;    // how often such tensors were there
    // By index of the space in TensorLives::spaces and number of the site: bytes of all.
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> by_site;
};

UnusedGraphs find_unused_graphs(const LifeFacts& lives);

}  // namespace memtrace::analyzer
