// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/site_facts.h"

#include <algorithm>
#include <set>

#include "analyzer/kinds/own_functions.h"
#include "analyzer/kinds/parameter_calls.h"

namespace memtrace::analyzer {
namespace {

const SiteFacts no_facts;

std::vector<StackSays> says_of_frames(const Symbols& symbols) {
    const ModuleClasses classes = module_classes(symbols);
    const ParameterCalls parameters(symbols);
    std::vector<StackSays> frames(symbols.frames.size());
    std::transform(symbols.frames.begin(), symbols.frames.end(), frames.begin(),
                   [&](const Frame& frame) {
                       FrameSays says = look_at(frame, classes);
                       says.makes_parameter = says.is_python && parameters.contains(frame);
                       says.makes_leaf = says.is_python && parameters.makes_leaf(frame);
                       return StackSays(says);
                   });
    return frames;
}

// Returns what each node's stack says. A caller has a smaller number than what it calls.
std::vector<StackSays> says_of_stacks(const Symbols& symbols,
                                      const std::vector<StackSays>& frames) {
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
    facts.code = says.code == TrainingCode::closure ? TrainingCode::none : says.code;
    facts.is_tensor = says.has(StackSays::tensor);
    facts.has_python = says.has(StackSays::python);
    facts.is_filled = says.has(StackSays::filled);
    facts.is_made = says.has(StackSays::made);
    facts.is_of_values = says.has(StackSays::of_values);
    facts.is_copied = says.has(StackSays::copied);
    facts.is_reducer = says.has(StackSays::reducer);
    facts.is_parameter = says.has(StackSays::parameter);
    facts.is_leaf = says.has(StackSays::leaf);
    facts.is_in_backward = says.has(StackSays::in_backward);
    facts.is_of_gradient =
        says.has(StackSays::of_gradient) && !says.has(StackSays::nested_gradient);
    facts.is_of_torch = says.has(StackSays::known_is_torch);
    // TorchScript leaves out the functions of Python.
    if (facts.code == TrainingCode::none && says.has(StackSays::scripted))
        facts.code = TrainingCode::forward;
    facts.is_in_init = says.has(StackSays::in_init);
    facts.is_answer = facts.code == TrainingCode::forward && says.has(StackSays::module_forward) &&
                      !says.has(StackSays::own_function) && !says.has(StackSays::scripted);
    facts.is_of_loss = facts.code == TrainingCode::none || says.has(StackSays::known_is_functional);
    return facts;
}

// Returns the frame that calls the innermost torch.autograd.grad in the stack; nothing: it has
// none.
std::optional<FrameId> caller_of_gradient(const std::vector<StackSays>& frames,
                                          const Symbols& symbols, uint32_t stack) {
    for (bool is_next = false; symbols.has(stack); stack = symbols.nodes.parent(stack)) {
        for (const FrameId id : symbols.frames_of(stack)) {
            if (symbols.frames[id].kind != FrameKind::python) continue;
            if (frames[id].code == TrainingCode::gradient_of) is_next = true;
            else if (is_next) return id;
        }
    }
    return std::nullopt;
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
    const std::vector<StackSays> frames = says_of_frames(symbols);
    const std::vector<StackSays> stacks = says_of_stacks(symbols, frames);
    const GraphOps graph(model, symbols);
    std::vector<TrainingCode> codes(frames.size());
    std::transform(frames.begin(), frames.end(), codes.begin(),
                   [](const StackSays& frame) { return frame.code; });
    OwnFunctions own(symbols, codes);
    for (size_t s = 0; s < model.spaces.size(); ++s) {
        const Space& space = model.spaces[s];
        const bool has_tensors_only = is_tensor_space(space.name);
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            const uint32_t number = space.numbers[i];
            const uint32_t stack = space.sites.stack(i);
            if (number >= facts_[s].size()) facts_[s].resize(number + 1);
            SiteFacts& facts = facts_[s][number];
            if (symbols.has(stack)) {
                facts = facts_of(stacks[stack]);
                has_other_weights_ |= stacks[stack].has(StackSays::other_weights);
            }
            facts.is_tensor |= has_tensors_only;
            if (facts.is_tensor) {
                facts.is_recorded = graph.is_recorded(stack);
                facts.does = graph.operation_does(stack);
                facts.is_in_hook = graph.is_in_hook(stack);
            } else {
                facts.is_graph_node = graph.is_node(stack);
            }
            if (facts.is_tensor || facts.is_graph_node) {
                const bool is_of_graph = facts.is_graph_node || facts.is_recorded.value_or(false);
                facts.own_functions = own.add(stack, is_of_graph);
                if (is_of_graph) facts.graph_call = graph.call_of(stack);
            }
            has_tensors_ |= facts.is_tensor;
            has_graph_ |= facts.is_recorded.has_value();
            has_optimiser_ |= facts.is_tensor && facts.code == TrainingCode::optimiser;
            has_forward_ |= facts.is_tensor && facts.code == TrainingCode::forward;
        }
    }
    own_functions_ = own.sets();
    find_loading_threads(own.are_of_threads());
    choose_gradients(frames, model, symbols);
}

// What a thread makes in which nothing goes forward or backward is data for one in which it does.
void TrainingSites::find_loading_threads(const std::vector<bool>& are_of_threads) {
    for (std::vector<SiteFacts>& of_space : facts_) {
        for (SiteFacts& facts : of_space) {
            if (facts.is_tensor && facts.code == TrainingCode::none && !facts.is_copied &&
                are_of_threads[facts.own_functions])
                facts.code = TrainingCode::loader;
        }
    }
}

// A gradient that is part of a loss, as a penalty is, is computed with a graph of its own. The call
// of torch.autograd.grad then is no backward pass, unless the program has no other.
void TrainingSites::choose_gradients(const std::vector<StackSays>& frames, const Model& model,
                                     const Symbols& symbols) {
    struct Gradient {
        SiteFacts* facts;
        std::optional<FrameId> call;  // the line
    };
    std::vector<Gradient> gradients;
    std::set<std::optional<FrameId>> with_graph;  // calls
    bool has_passes = false;                      // that are no part of a loss
    for (size_t s = 0; s < facts_.size(); ++s) {
        const Space& space = model.spaces[s];
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            SiteFacts& facts = facts_[s][space.numbers[i]];
            has_passes |= facts.is_tensor && facts.is_in_backward && !facts.is_of_gradient;
            if (!facts.is_of_gradient) continue;
            const std::optional<FrameId> call =
                caller_of_gradient(frames, symbols, space.sites.stack(i));
            gradients.push_back({&facts, call});
            if (facts.is_graph_node || facts.is_recorded.value_or(!has_graph_))
                with_graph.insert(call);
        }
    }
    has_passes |= std::any_of(gradients.begin(), gradients.end(), [&](const Gradient& gradient) {
        return gradient.facts->is_tensor && gradient.facts->is_in_backward &&
               !with_graph.contains(gradient.call);
    });
    if (!has_passes) return;
    for (const Gradient& gradient : gradients) {
        if (!with_graph.contains(gradient.call)) continue;
        gradient.facts->is_in_backward = false;
        gradient.facts->code = TrainingCode::forward;
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
