// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/graph_ops.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace memtrace::analyzer {
namespace {

// The dispatcher calls one of these for each operation, before the one that computes.
constexpr std::string_view operations = "torch::autograd::VariableType::(anonymous namespace)::";

// What only an operation that is recorded calls. Compilers may inline some of them.
constexpr auto graph_functions =
    std::to_array<std::string_view>({"collect_next_edges", "MakeNextFunctionList", "set_history",
                                     "flatten_tensor_args", "SavedVariable::SavedVariable"});

constexpr auto sums =
    std::to_array<std::string_view>({"add_Tensor(", "sub_Tensor(", "rsub_Tensor("});

}  // namespace

GraphOps::GraphOps(const Model& model, const Symbols& symbols)
    : symbols_(symbols), parts_(symbols.frames.size()) {
    std::transform(
        symbols.frames.begin(), symbols.frames.end(), parts_.begin(), [](const Frame& frame) {
            if (frame.kind == FrameKind::python) return Part::python;
            const std::string_view function = frame.function;
            if (function.starts_with("operator new(")) return Part::allocator;
            if (function.starts_with(operations)) return Part::operation;
            if (function.find("torch::autograd::") == std::string_view::npos) return Part::none;
            const bool is_graph = std::any_of(
                graph_functions.begin(), graph_functions.end(),
                [&](std::string_view each) { return function.find(each) < function.size(); });
            return is_graph ? Part::graph : Part::none;
        });
    for (const Space& space : model.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            bool is_graph = false;
            uint32_t node = space.sites.stack(i);
            for (; symbols.has(node); node = symbols.nodes.parent(node)) {
                const Part part = part_of(node);
                if (part == Part::python || part == Part::operation) break;
                is_graph |= part == Part::graph;
            }
            if (is_graph && symbols.has(node) && part_of(node) == Part::operation) {
                recorded_.insert(symbols.nodes.parent(node));
            }
        }
    }
}

GraphOps::Part GraphOps::part_of(uint32_t node) const {
    for (const FrameId id : symbols_.frames_of(node)) {
        if (parts_[id] != Part::none) return parts_[id];
    }
    return Part::none;
}

// Returns the node of the operation that the stack is in; 0: none.
uint32_t GraphOps::operation_of(uint32_t stack) const {
    for (; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
        const Part part = part_of(stack);
        if (part == Part::python) return 0;
        if (part == Part::operation) return stack;
    }
    return 0;
}

uint32_t GraphOps::call_of(uint32_t stack) const {
    const uint32_t operation = operation_of(stack);
    return operation == 0 ? 0 : symbols_.nodes.parent(operation);
}

bool GraphOps::is_sum(uint32_t stack) const {
    const uint32_t operation = operation_of(stack);
    if (operation == 0) return false;
    const auto frames = symbols_.frames_of(operation);
    return std::any_of(frames.begin(), frames.end(), [this](FrameId id) {
        const std::string_view function = symbols_.frames[id].function;
        if (!function.starts_with(operations)) return false;
        const std::string_view name = function.substr(operations.size());
        return std::any_of(sums.begin(), sums.end(),
                           [&](std::string_view sum) { return name.starts_with(sum); });
    });
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
