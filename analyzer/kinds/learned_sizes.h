// SPDX-License-Identifier: Apache-2.0
//
// What the sizes of tensors tell: which have the sizes of gradients, and so are learned, and which
// come in sets of these sizes, and so are states of an optimiser, averages, or gradients that the
// program makes by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/kinds/life_facts.h"
#include "analyzer/kinds/model_shape.h"
#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

class LearnedSizes {
public:
    // `lives` must outlive the object.
    explicit LearnedSizes(const LifeFacts& lives);

    // The sizes that are learned: of gradients, or of parameters where no pass makes gradients.
    const ModelShape& model() const { return makes_gradients_ ? gradients_ : parameters_; }
    // True if gradients of a backward pass have this size.
    bool is_learned(uint64_t bytes) const { return gradients_.contains(bytes); }
    // True if modules made tensors of this size before the first backward pass.
    bool is_of_module(uint64_t bytes) const { return module_sizes_.contains(bytes); }
    // True if a gradient has the size that belongs to no parameter so far; it does then.
    bool takes_gradient(uint64_t bytes) { return take(spare_gradients_, bytes); }
    // True once for each parameter of this size, if the backward pass makes no gradients: it adds
    // to those that the program made.
    bool takes_held_gradient(uint64_t bytes) { return take(held_gradients_, bytes); }

    // True if there are tensors like this one for most of the sizes that are learned, made at about
    // the same time and kept.
    bool is_in_kept_set(const TensorLife& life, std::ptrdiff_t run) const;
    // True if there are such that are made anew after each backward pass, and kept until the next.
    bool is_in_renewed_set(const TensorLife& life, std::ptrdiff_t run) const;
    // True if they are as many as the gradients of this size, or fewer.
    bool are_renewed_all(const TensorLife& life, std::ptrdiff_t run) const;
    // True if its site makes more and more of such, as a server gets changes from its clients. A
    // state is replaced, so there are two at most.
    bool are_gathered(const TensorLife& life) const;
    // True if the last parameter of this size that a module made died during the training, and this
    // one lives longer.
    bool outlives_module(const TensorLife& life) const;
    // True if the program made it as a gradient, after the backward pass.
    bool is_gradient_by_hand(size_t life) const { return by_hand_.contains(life); }

    // True if it is what modules would make, in a program without them.
    bool is_plain_parameter(size_t life) const { return plain_parameters_.contains(life); }
    // True if torch.autograd.grad makes such for several steps, as for a control of variance.
    bool is_kept_gradient(const TensorLife& life) const {
        return kept_gradients_.contains({life.space, life.site});
    }
    // True if a hook made it in the backward pass, and no gradient or parameter has its size.
    bool is_of_hook(const TensorLife& life) const;
    // True if its site makes zeros again and again, beside an optimiser that has its own state.
    bool is_sum_of_gradients(const TensorLife& life) const;
    // True if it has the size of one of two factors by which a matrix is preconditioned: for one of
    // m rows and n columns, one has m x m elements and the other n x n.
    bool is_factor(const TensorLife& life) const { return factors_.contains(life.bytes); }

    // What a tensor is that holds the whole model, one parameter after the other.
    enum class Whole : uint8_t { parameters, gradients, state };
    std::optional<Whole> whole(size_t life) const;

private:
    static bool take(NumberBySize& numbers, uint64_t bytes);
    void find_sets();
    void find_plain_parameters();
    bool is_told_by_optimiser(const std::set<uint64_t>& sizes) const;
    void find_factors();
    void find_gathered();
    void find_gradients_by_hand();
    void find_gradients_of_run(const std::vector<size_t>& made, ChangingSet& set,
                               Precision precision);
    void find_wholes();
    bool takes_place_of(const std::vector<size_t>& modules, const TensorLife& life,
                        std::ptrdiff_t run) const;

    using Site = std::pair<uint32_t, uint32_t>;  // space and number

    const LifeFacts& lives_;
    ModelShape gradients_;
    ModelShape parameters_;      // that modules made, alive at once; the smallest are left out
    ModelSize parameters_size_;  // with these
    uint64_t grain_ = 1;         // bytes to which sizes are rounded up
    bool makes_gradients_ = false;
    std::set<uint64_t> module_sizes_;
    std::unordered_map<uint64_t, uint64_t> module_until_;  // by size: when the last one died
    // By size: gradients of one backward pass that belong to no parameter of PyTorch's modules.
    NumberBySize spare_gradients_;
    NumberBySize held_gradients_;  // that the program may have made, by size
    // By the run before: number of what may be states, and of what may replace weights, by size;
    // and whether these meet the model.
    std::map<std::ptrdiff_t, NumberBySize> kept_, renewed_;
    std::map<std::ptrdiff_t, std::array<bool, precisions.size()>> are_kept_met_;
    std::map<std::ptrdiff_t, bool> are_renewed_met_;
    std::set<size_t> by_hand_, plain_parameters_;
    std::set<uint64_t> of_optimiser_;  // sizes of what an optimiser keeps
    std::set<Site> kept_gradients_;
    std::set<uint64_t> plain_sizes_;                         // of these, and of own modules'
    std::set<uint64_t> factors_;                             // sizes
    std::set<std::pair<Site, uint64_t>> gathered_;           // sites and sizes
    std::set<uint64_t> of_engine_;                           // sizes of gradients that no hook made
    std::map<Site, std::set<std::ptrdiff_t>> filled_after_;  // sites of zeros: runs
    std::unordered_map<size_t, Whole> wholes_;
    // By run and size: when the last gradient that the backward pass made died.
    std::map<std::pair<std::ptrdiff_t, uint64_t>, uint64_t> gradients_until_;
};

}  // namespace memtrace::analyzer
