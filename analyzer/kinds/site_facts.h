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
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/watch/tensor_request.h"

namespace memtrace::analyzer {

struct SiteFacts {
    bool is_tensor = false;
    bool has_python = false;
    TrainingCode code = TrainingCode::none;
    bool is_in_backward = false;  // at any depth: what checkpointing repeats goes forward in there
    bool is_of_gradient = false;  // in torch.autograd.grad
    bool is_in_init = false;      // a class is being made, at any depth
    bool is_filled = false;       // zeros or ones
    bool is_made = false;         // by a function that makes tensors, not from other ones
    bool is_copied = false;       // by clone() or deepcopy(): nothing is computed
    bool is_parameter = false;    // an expression of the module that makes it is nn.Parameter(…)
    bool is_reducer = false;      // of DistributedDataParallel
    bool is_graph_node = false;   // of autograd: no tensor
    std::optional<bool> is_recorded;  // GraphOps::is_recorded()

    TrainingStage stage() const;
};

class TrainingSites {
public:
    TrainingSites() = default;  // no site is PyTorch's
    TrainingSites(const Model& model, const Symbols& symbols);

    // By index of the space in the model and number of the site in the replay.
    const SiteFacts& of(size_t space, uint32_t number) const;
    // False if no function of the program goes forward, as in one of plain tensors.
    bool has_forward() const { return has_forward_; }
    // False if the dump does not tell which operations were recorded in the graph of autograd.
    bool has_graph() const { return has_graph_; }
    // False if no tensor was made by an optimiser.
    bool has_optimiser() const { return has_optimiser_; }
    // False if no tensor of PyTorch was met.
    bool has_tensors() const { return has_tensors_; }
    TensorRequest request(const Model& model) const;

private:
    void choose_gradients();

    std::vector<std::vector<SiteFacts>> facts_;
    bool has_forward_ = false;
    bool has_graph_ = false;
    bool has_optimiser_ = false;
    bool has_tensors_ = false;
};

}  // namespace memtrace::analyzer
