// SPDX-License-Identifier: Apache-2.0
//
// Which operations of PyTorch were recorded in the graph of autograd. An operation that is to go
// backward makes a node of the graph in the same call that computes its result. Under no_grad, and
// of data that needs no gradient, it makes none.
//
//   malloc ◄ operator new ◄ VariableType::mul ◄ … ◄ train.py:40       the node
//   c10::alloc_cpu ◄ … ◄ VariableType::mul ◄ … ◄ train.py:40          the result
//
// A hook of a module is called beside its forward():
//
//   Linear.forward ◄ _call_impl ◄ Sequential.forward      recorded
//   look (a hook)  ◄ _call_impl ◄ Sequential.forward      what it computes without a graph is a
//                                                         statistic of what is recorded
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
    // What the operation that the stack is in does with what it is computed from.
    enum class Does : uint8_t {
        other,
        adds,        // or subtracts: it saves nothing
        joins,       // one behind the other
        reduces,     // to a part of the size
        normalises,  // first, as cosine_similarity does: it saves what comes of that
        compares     // element by element, and saves both
    };
    Does operation_does(uint32_t stack) const;
    // True if a hook of a module computes it, and what the module computes is recorded.
    bool is_in_hook(uint32_t stack) const;
    // Returns the node of the stack that calls the operation that the stack is in; 0: none.
    uint32_t call_of(uint32_t stack) const;
    // True if the stack is that of a node of the graph.
    bool is_node(uint32_t stack) const;

private:
    enum class Part : uint8_t {
        none,
        allocator,
        operation,
        graph,
        cosine,
        reduction,    // that no graph records
        python,       // all others of Python's functions
        module_call,  // what calls forward() and hooks
        own_function  // of the program, and not forward()
    };

    static Part part_of(const Frame& frame);
    static bool is_python(Part part) { return part >= Part::python; }
    Part part_of(uint32_t node) const { return parts_[symbols_.nodes.location_of(node)]; }
    uint32_t operation_of(uint32_t stack) const;
    uint32_t caller_of_module(uint32_t node) const;
    void add_recorded(uint32_t operation);

    const Symbols& symbols_;
    std::vector<Part> parts_;                        // by location
    std::unordered_set<uint32_t> recorded_;          // callers of operations
    std::unordered_set<uint32_t> recorded_modules_;  // callers of modules
};

}  // namespace memtrace::analyzer
