// SPDX-License-Identifier: Apache-2.0
//
// Which operations of PyTorch were recorded in the graph of autograd. An operation that is to go
// backward makes a node of the graph in the same call that computes its result. Under no_grad, and
// of data that needs no gradient, it makes none.
//
//   malloc ◄ operator new ◄ VariableType::mul ◄ … ◄ train.py:40       the node
//   c10::alloc_cpu ◄ … ◄ VariableType::mul ◄ … ◄ train.py:40          the result
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

class GraphOps {
public:
    // Both must outlive the object.
    GraphOps(const Model& model, const Symbols& symbols);

    // Returns true if the operation that the stack is in was recorded in the graph. Nothing if the
    // stack is in no operation, or if no function of the graph has a name in this dump.
    std::optional<bool> is_recorded(uint32_t stack) const;
    // True if the operation that the stack is in adds or subtracts. It saves nothing of what it is
    // computed from.
    bool is_sum(uint32_t stack) const;
    // Returns the node of the stack that calls the operation that the stack is in; 0: none.
    uint32_t call_of(uint32_t stack) const;
    // True if the stack is that of a node of the graph.
    bool is_node(uint32_t stack) const;

private:
    enum class Part : uint8_t { none, allocator, operation, graph, python };

    Part part_of(uint32_t node) const;
    uint32_t operation_of(uint32_t stack) const;

    const Symbols& symbols_;
    std::vector<Part> parts_;                // by frame
    std::unordered_set<uint32_t> recorded_;  // callers of operations
};

}  // namespace memtrace::analyzer
