// SPDX-License-Identifier: Apache-2.0
//
// The expressions of a program that make parameters: nn.Parameter(torch.randn(4, 8)). The tensor
// inside is made by the same expression, on the same lines. So is a leaf of the graph, which may be
// a parameter: torch.randn(4, 8, requires_grad=True), picture.clone().requires_grad_().
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

class ParameterCalls {
public:
    // `symbols` must outlive the object.
    explicit ParameterCalls(const Symbols& symbols);

    // Both are true if this line of a caller is in such an expression.
    bool contains(const Frame& caller) const { return is_in(calls_, caller); }
    bool makes_leaf(const Frame& caller) const { return is_in(leaf_calls_, caller); }

private:
    // By file: first and last lines.
    using Lines = std::map<std::string_view, std::map<uint32_t, uint32_t>>;

    static void add(Lines& lines, const Frame& frame);
    static bool is_in(const Lines& lines, const Frame& caller);
    void add_caller_of(uint32_t node, const Symbols& symbols);
    void add_leaf_of(uint32_t node, const Symbols& symbols);

    Lines calls_, leaf_calls_;
};

}  // namespace memtrace::analyzer
