// SPDX-License-Identifier: Apache-2.0
//
// The expressions of a program that make parameters: nn.Parameter(torch.randn(4, 8)). The tensor
// inside is made by the same expression, on the same lines.
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

    // True if this line of a caller is in such an expression.
    bool contains(const Frame& caller) const;

private:
    void add_caller_of(uint32_t node, const Symbols& symbols);

    // By file: first and last lines.
    std::map<std::string_view, std::map<uint32_t, uint32_t>> calls_;
};

}  // namespace memtrace::analyzer
