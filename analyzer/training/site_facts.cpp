// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/site_facts.h"

#include <algorithm>

#include "analyzer/training/graph_ops.h"
#include "analyzer/training/parameter_calls.h"

namespace memtrace::analyzer {
namespace {

const SiteFacts no_facts;

}  // namespace

TrainingStage SiteFacts::stage() const {
    if (is_in_backward) return TrainingStage::backward;
    switch (code) {
        case TrainingCode::optimiser: return TrainingStage::optimiser;
        case TrainingCode::forward: return TrainingStage::forward;
        default: return TrainingStage::none;
    }
}

TrainingSites::TrainingSites(const Model& model, const Symbols& symbols)
    : facts_(model.spaces.size()) {
    std::vector<FrameSays> says(symbols.frames.size());
    const ModuleClasses classes = module_classes(symbols);
    const ParameterCalls parameters(model, symbols);
    std::transform(symbols.frames.begin(), symbols.frames.end(), says.begin(),
                   [&](const Frame& frame) {
                       FrameSays found = look_at(frame, classes);
                       found.makes_parameter = found.is_python && parameters.contains(frame);
                       return found;
                   });
    const GraphOps graph(model, symbols);
    for (size_t s = 0; s < model.spaces.size(); ++s) {
        const Space& space = model.spaces[s];
        const bool has_tensors_only = space.name.starts_with("tensors:");
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            const uint32_t number = space.numbers[i];
            if (number >= facts_[s].size()) facts_[s].resize(number + 1);
            SiteFacts& facts = facts_[s][number];
            facts.is_tensor = has_tensors_only;
            symbols.walk(space.sites.stack(i), [&](FrameId id) {
                const FrameSays& frame = says[id];
                facts.is_parameter |= frame.makes_parameter;
                facts.is_tensor |= frame.allocates_tensor;
                facts.has_python |= frame.is_python;
                facts.is_filled |= frame.is_filled;
                facts.is_made |= frame.is_made;
                facts.is_reducer |= frame.is_reducer;
                facts.is_in_backward |= frame.code == TrainingCode::backward;
                facts.is_of_gradient |= frame.code == TrainingCode::gradient_of;
                facts.is_in_init |= frame.code == TrainingCode::user_module ||
                                    frame.code == TrainingCode::pytorch_module ||
                                    frame.code == TrainingCode::norm_module;
                if (facts.code == TrainingCode::none) facts.code = frame.code;
            });
            if (facts.is_tensor) {
                facts.is_recorded = graph.is_recorded(space.sites.stack(i));
            } else {
                facts.is_graph_node = graph.is_node(space.sites.stack(i));
            }
            has_tensors_ |= facts.is_tensor;
            has_optimiser_ |= facts.is_tensor && facts.code == TrainingCode::optimiser;
            has_forward_ |= facts.is_tensor && facts.code == TrainingCode::forward;
        }
    }
    choose_gradients();
}

// If the program goes backward by backward(), a gradient that it asks for by torch.autograd.grad is
// part of its loss, as a penalty is. Else that is how it goes backward.
void TrainingSites::choose_gradients() {
    const auto is_backward_call = [](const SiteFacts& facts) {
        return facts.is_tensor && facts.is_in_backward && !facts.is_of_gradient;
    };
    const bool has_backward_calls =
        std::any_of(facts_.begin(), facts_.end(), [&](const std::vector<SiteFacts>& of_space) {
            return std::any_of(of_space.begin(), of_space.end(), is_backward_call);
        });
    if (!has_backward_calls) return;
    for (std::vector<SiteFacts>& of_space : facts_) {
        for (SiteFacts& facts : of_space) {
            if (!facts.is_of_gradient) continue;
            facts.is_in_backward = false;
            facts.code = TrainingCode::forward;
        }
    }
}

const SiteFacts& TrainingSites::of(size_t space, uint32_t number) const {
    return space < facts_.size() && number < facts_[space].size() ? facts_[space][number]
                                                                  : no_facts;
}

TensorRequest TrainingSites::request(const Model& model) const {
    TensorRequest request;
    for (size_t s = 0; s < facts_.size(); ++s) {
        std::vector<SiteRole>& roles = request.sites[model.spaces[s].name];
        roles.reserve(facts_[s].size());
        for (const SiteFacts& facts : facts_[s]) {
            const bool is_other = facts.is_graph_node || facts.code == TrainingCode::hook;
            roles.push_back({facts.is_tensor, is_other, facts.has_python, facts.stage()});
        }
    }
    return request;
}

}  // namespace memtrace::analyzer
