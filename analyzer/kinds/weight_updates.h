// SPDX-License-Identifier: Apache-2.0
//
// Optimisers that somebody wrote by hand: functions and classes in which nothing goes forward or
// backward, and which compute tensors in most sizes of the model after a backward pass. What they
// keep is their state, whatever its size is: sums of products, their roots, rows and columns.
#pragma once

#include <cstdint>
#include <set>

#include "analyzer/kinds/life_facts.h"
#include "analyzer/kinds/model_shape.h"

namespace memtrace::analyzer {

class WeightUpdates {
public:
    // `lives` must outlive the object.
    WeightUpdates(const LifeFacts& lives, const ModelShape& model);

    // True if such a function or class made it, outside of the graph.
    bool made(const TensorLife& life) const;

private:
    const LifeFacts& lives_;
    std::set<uint32_t> updates_;  // numbers of functions and classes
};

}  // namespace memtrace::analyzer
