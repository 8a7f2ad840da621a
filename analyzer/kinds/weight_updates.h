// SPDX-License-Identifier: Apache-2.0
//
// Optimisers that somebody wrote by hand: functions and classes in which nothing goes forward or
// backward, and which compute tensors in most sizes of the model after a backward pass. What they
// keep is their state, whatever its size is: sums of products, their roots, rows and columns.
//
// Where nothing is changed in place, as with torch.func, each round makes new weights beside new
// states. The weights are computed last:
//
//   round ├ gradients … m, v, weights  m, v, weights ┤ round ├ …
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/kinds/life_facts.h"
#include "analyzer/kinds/model_shape.h"

namespace memtrace::analyzer {

class WeightUpdates {
public:
    // `lives` must outlive the object.
    WeightUpdates(const LifeFacts& lives, const ModelShape& model);

    // True if such a function or class made it, outside of the graph.
    bool made(const TensorLife& life) const;
    // True if it is there for the next backward pass. Behind the last one, the end of the program
    // comes, which may give it back: there, those of its line before tell it.
    bool is_kept(const TensorLife& life, std::ptrdiff_t run) const;

    // True if each round makes new weights, in a program without an optimiser of PyTorch.
    bool replace_weights() const { return !weights_.empty(); }
    // True if it is such a weight. By index into LifeFacts::all().
    bool is_weight(size_t life) const { return weights_.contains(life); }

private:
    using Site = std::pair<uint32_t, uint32_t>;  // space and number

    void find_weights(const ModelShape& model);
    bool changes_in_place(const ModelShape& model) const;
    void find_weights_of_run(const std::vector<size_t>& made, const NumberBySize& replaced_zeros,
                             const ModelShape& model);

    const LifeFacts& lives_;
    std::set<uint32_t> updates_;  // numbers of functions and classes
    std::set<Site> keep_;         // sites of what is kept until the next pass
    std::set<size_t> weights_;
};

}  // namespace memtrace::analyzer
