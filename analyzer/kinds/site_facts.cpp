// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/site_facts.h"

#include <algorithm>

#include "analyzer/kinds/graph_ops.h"
#include "analyzer/kinds/parameter_calls.h"

namespace memtrace::analyzer {
namespace {

const SiteFacts no_facts;

// Returns what each node's stack says. A caller has a smaller number than what it calls.
std::vector<StackSays> says_of_stacks(const Symbols& symbols) {
    const ModuleClasses classes = module_classes(symbols);
    const ParameterCalls parameters(symbols);
    std::vector<StackSays> frames(symbols.frames.size());
    std::transform(symbols.frames.begin(), symbols.frames.end(), frames.begin(),
                   [&](const Frame& frame) {
                       FrameSays says = look_at(frame, classes);
                       says.makes_parameter = says.is_python && parameters.contains(frame);
                       return StackSays(says);
                   });
    std::vector<StackSays> locations(symbols.nodes.location_count());
    for (uint32_t i = 0; i < locations.size(); ++i) {
        for (const FrameId id : symbols.frames_of_location(i)) locations[i].add_caller(frames[id]);
    }
    std::vector<StackSays> stacks(symbols.nodes.size());
    for (uint32_t node = 1; node < stacks.size(); ++node) {
        stacks[node] = locations[symbols.nodes.location_of(node)];
        stacks[node].add_caller(stacks[symbols.nodes.parent(node)]);
    }
    return stacks;
}

SiteFacts facts_of(const StackSays& says) {
    SiteFacts facts;
    facts.code = says.code;
    facts.is_tensor = says.has(StackSays::tensor);
    facts.has_python = says.has(StackSays::python);
    facts.is_filled = says.has(StackSays::filled);
    facts.is_made = says.has(StackSays::made);
    facts.is_copied = says.has(StackSays::copied);
    facts.is_reducer = says.has(StackSays::reducer);
    facts.is_parameter = says.has(StackSays::parameter);
    facts.is_in_backward = says.has(StackSays::in_backward);
    facts.is_of_gradient = says.has(StackSays::of_gradient);
    facts.is_in_init = says.has(StackSays::in_init);
    return facts;
}

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
    const std::vector<StackSays> stacks = says_of_stacks(symbols);
    const GraphOps graph(model, symbols);
    for (size_t s = 0; s < model.spaces.size(); ++s) {
        const Space& space = model.spaces[s];
        const bool has_tensors_only = space.name.starts_with("tensors:");
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            const uint32_t number = space.numbers[i];
            const uint32_t stack = space.sites.stack(i);
            if (number >= facts_[s].size()) facts_[s].resize(number + 1);
            SiteFacts& facts = facts_[s][number];
            if (symbols.has(stack)) facts = facts_of(stacks[stack]);
            facts.is_tensor |= has_tensors_only;
            if (facts.is_tensor) {
                facts.is_recorded = graph.is_recorded(stack);
            } else {
                facts.is_graph_node = graph.is_node(stack);
            }
            has_tensors_ |= facts.is_tensor;
            has_graph_ |= facts.is_recorded.has_value();
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
