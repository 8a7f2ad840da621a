// SPDX-License-Identifier: Apache-2.0
//
// What the stack of a call site says about a training.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/kinds/frame_says.h"
#include "analyzer/kinds/graph_ops.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/watch/tensor_request.h"

namespace memtrace::analyzer {

struct SiteFacts {
    bool is_tensor = false;
    bool has_python = false;
    TrainingCode code = TrainingCode::none;
    bool is_in_backward = false;  // at any depth: what checkpointing repeats goes forward in there
    bool is_of_gradient = false;  // in torch.autograd.grad, but not in one of a backward pass
    bool is_in_init = false;      // a class is being made, at any depth
    bool is_filled = false;       // zeros, ones, or ones in the diagonal
    bool is_made = false;         // by a function that makes tensors, not from other ones
    bool is_of_values = false;    // by torch.tensor(…)
    bool is_copied = false;       // by clone() or deepcopy(): nothing is computed
    bool is_parameter = false;    // an expression of the module that makes it is nn.Parameter(…)
    bool is_leaf = false;         // an expression of the program gives it a place for its gradient
    bool is_reducer = false;      // of DistributedDataParallel
    bool is_of_torch = false;     // the known function is PyTorch's own, as Linear.forward is
    bool is_answer = false;       // a module computes it, and its code is no autograd function
    bool is_of_loss = false;      // it is computed outside of modules of the program
    bool is_in_hook = false;      // GraphOps::is_in_hook()
    GraphOps::Does does = GraphOps::Does::other;
    bool is_graph_node = false;       // of autograd: no tensor
    std::optional<bool> is_recorded;  // GraphOps::is_recorded()
    uint32_t graph_call = 0;          // GraphOps::call_of()
    uint32_t own_functions = 0;       // number of a set; 0: an empty one

    TrainingStage stage() const;
    // Random numbers, ranges and values are data. A state begins with zeros or with a copy.
    bool is_data() const { return is_made && !is_filled; }
    // Of a module of PyTorch that normalises: statistics, and the number of batches that they are
    // of. Parameters come without values, and get them later.
    bool is_buffer_of_norm() const { return is_filled || is_of_values; }
};

class TrainingSites {
public:
    TrainingSites() = default;  // no site is PyTorch's
    TrainingSites(const Model& model, const Symbols& symbols);

    // By index of the space in the model and number of the site in the replay.
    const SiteFacts& of(size_t space, uint32_t number) const;
    // Returns the functions and classes that it is made in and in which no model goes forward or
    // backward (OwnFunctions), by number.
    const std::vector<uint32_t>& own_functions(const SiteFacts& facts) const {
        return own_functions_[facts.own_functions];
    }
    // False if no function of the program goes forward, as in one of plain tensors.
    bool has_forward() const { return has_forward_; }
    // True if modules go forward with weights that are not their own.
    bool has_other_weights() const { return has_other_weights_; }
    // False if the dump does not tell which operations were recorded in the graph of autograd.
    bool has_graph() const { return has_graph_; }
    // False if no tensor was made by an optimiser.
    bool has_optimiser() const { return has_optimiser_; }
    // False if no tensor of PyTorch was met.
    bool has_tensors() const { return has_tensors_; }
    TensorRequest request(const Model& model) const;

private:
    void find_loading_threads(const std::vector<bool>& are_of_threads);
    void choose_gradients(const std::vector<StackSays>& frames, const Model& model,
                          const Symbols& symbols);

    std::vector<std::vector<SiteFacts>> facts_;
    std::vector<std::vector<uint32_t>> own_functions_{{}};
    bool has_forward_ = false;
    bool has_graph_ = false;
    bool has_optimiser_ = false;
    bool has_other_weights_ = false;
    bool has_tensors_ = false;
};

}  // namespace memtrace::analyzer
