// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/graph_ops.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analyzer/kinds/frame_says.h"

namespace memtrace::analyzer {
namespace {

// The dispatcher calls one of these for each operation, before the one that computes.
constexpr std::string_view operations = "torch::autograd::VariableType::(anonymous namespace)::";

// What only an operation that is recorded calls. Compilers may inline some of them.
constexpr auto graph_functions =
    std::to_array<std::string_view>({"collect_next_edges", "MakeNextFunctionList", "set_history",
                                     "flatten_tensor_args", "SavedVariable::SavedVariable"});

struct KnownOperation {
    std::string_view name;
    GraphOps::Does does;
};
constexpr auto known_operations = std::to_array<KnownOperation>({
    {"add_Tensor(", GraphOps::Does::adds},
    {"sub_Tensor(", GraphOps::Does::adds},
    {"rsub_Tensor(", GraphOps::Does::adds},
    {"cat(", GraphOps::Does::joins},
    {"stack(", GraphOps::Does::joins},
    {"mean_dim(", GraphOps::Does::reduces},
    {"sum_dim_IntList(", GraphOps::Does::reduces},
    {"max_dim(", GraphOps::Does::reduces},
    {"min_dim(", GraphOps::Does::reduces},
    {"amax(", GraphOps::Does::reduces},
    {"amin(", GraphOps::Does::reduces},
    {"argmax(", GraphOps::Does::reduces},
    {"argmin(", GraphOps::Does::reduces},
    {"logsumexp(", GraphOps::Does::reduces},
    {"topk(", GraphOps::Does::reduces},
    {"mse_loss(", GraphOps::Does::compares},
    {"smooth_l1_loss(", GraphOps::Does::compares},
    {"huber_loss(", GraphOps::Does::compares},
    {"binary_cross_entropy(", GraphOps::Does::compares},
});

// No graph records these, so the dispatcher goes past VariableType.
constexpr auto unrecorded_reductions =
    std::to_array<std::string_view>({"at::_ops::argmax::call(", "at::_ops::argmin::call("});

// It divides what it compares by the norms of that, and multiplies the quotients.
constexpr std::string_view cosine = "at::_ops::cosine_similarity::call(";

// Functions of torch/nn/modules/module.py that call forward() and hooks, of several versions.
constexpr auto module_calls =
    std::to_array<std::string_view>({"_call_impl", "inner", "__call__", "_wrapped_call_impl"});

bool is_module_call(const Frame& frame) {
    if (!frame.file.ends_with("/torch/nn/modules/module.py")) return false;
    return std::find(module_calls.begin(), module_calls.end(), method_of(frame).name) !=
           module_calls.end();
}

}  // namespace

GraphOps::Part GraphOps::part_of(const Frame& frame) {
    if (frame.kind == FrameKind::python) {
        if (is_module_call(frame)) return Part::module_call;
        const bool is_own =
            frame.file.find("/torch/") == std::string::npos && method_of(frame).name != "forward";
        return is_own ? Part::own_function : Part::python;
    }
    const std::string_view function = frame.function;
    if (function.starts_with("operator new(")) return Part::allocator;
    if (function.starts_with(operations)) return Part::operation;
    if (function.starts_with(cosine)) return Part::cosine;
    for (const std::string_view each : unrecorded_reductions) {
        if (function.starts_with(each)) return Part::reduction;
    }
    if (function.find("torch::autograd::") == std::string_view::npos) return Part::none;
    const bool is_graph =
        std::any_of(graph_functions.begin(), graph_functions.end(),
                    [&](std::string_view each) { return function.find(each) < function.size(); });
    return is_graph ? Part::graph : Part::none;
}

// The part of a location is that of its innermost frame that is one.
GraphOps::GraphOps(const Model& model, const Symbols& symbols)
    : symbols_(symbols), parts_(symbols.nodes.location_count()) {
    std::vector<Part> of_frames(symbols.frames.size());
    std::transform(symbols.frames.begin(), symbols.frames.end(), of_frames.begin(),
                   [](const Frame& frame) { return part_of(frame); });
    for (uint32_t location = 0; location < parts_.size(); ++location) {
        for (const FrameId id : symbols.frames_of_location(location)) {
            if ((parts_[location] = of_frames[id]) != Part::none) break;
        }
    }
    for (const Space& space : model.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            bool is_graph = false;
            uint32_t node = space.sites.stack(i);
            for (; symbols.has(node); node = symbols.nodes.parent(node)) {
                const Part part = part_of(node);
                if (is_python(part) || part == Part::operation) break;
                is_graph |= part == Part::graph;
            }
            if (is_graph && symbols.has(node) && part_of(node) == Part::operation)
                add_recorded(node);
        }
    }
}

void GraphOps::add_recorded(uint32_t operation) {
    const uint32_t caller = symbols_.nodes.parent(operation);
    if (!recorded_.insert(caller).second) return;
    for (uint32_t node = caller; symbols_.has(node); node = symbols_.nodes.parent(node)) {
        if (part_of(node) == Part::module_call) recorded_modules_.insert(caller_of_module(node));
    }
}

// Returns the node of the operation that the stack is in; 0: none.
uint32_t GraphOps::operation_of(uint32_t stack) const {
    for (; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
        const Part part = part_of(stack);
        if (is_python(part)) return 0;
        if (part == Part::operation) return stack;
    }
    return 0;
}

// Returns the innermost function of Python, from the node on, that does not call modules.
uint32_t GraphOps::caller_of_module(uint32_t node) const {
    for (; symbols_.has(node); node = symbols_.nodes.parent(node)) {
        const Part part = part_of(node);
        if (is_python(part) && part != Part::module_call) return node;
    }
    return 0;
}

bool GraphOps::is_in_hook(uint32_t stack) const {
    Part callee = Part::none;  // of Python
    for (; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
        const Part part = part_of(stack);
        if (!is_python(part)) continue;
        if (part == Part::module_call && callee == Part::own_function)
            return recorded_modules_.contains(caller_of_module(stack));
        callee = part;
    }
    return false;
}

uint32_t GraphOps::call_of(uint32_t stack) const {
    const uint32_t operation = operation_of(stack);
    return operation == 0 ? 0 : symbols_.nodes.parent(operation);
}

GraphOps::Does GraphOps::operation_does(uint32_t stack) const {
    Does does = Does::other;
    for (bool is_outside = false; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
        const Part part = part_of(stack);
        if (is_python(part)) break;
        if (part == Part::cosine) return Does::normalises;
        if (part == Part::reduction) return Does::reduces;
        if (part != Part::operation || std::exchange(is_outside, true)) continue;
        for (const FrameId id : symbols_.frames_of(stack)) {
            const std::string_view function = symbols_.frames[id].function;
            if (!function.starts_with(operations)) continue;
            const std::string_view name = function.substr(operations.size());
            for (const KnownOperation& known : known_operations) {
                if (name.starts_with(known.name)) does = known.does;
            }
        }
    }
    return does;
}

std::optional<bool> GraphOps::is_recorded(uint32_t stack) const {
    if (recorded_.empty()) return std::nullopt;
    const uint32_t call = call_of(stack);
    if (call == 0) return std::nullopt;
    return recorded_.contains(call);
}

bool GraphOps::is_node(uint32_t stack) const {
    for (bool is_new = false; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
        const Part part = part_of(stack);
        if (part == Part::operation) return is_new;
        if (part == Part::allocator) is_new = true;
        else if (is_new) return false;
    }
    return false;
}

}  // namespace memtrace::analyzer
