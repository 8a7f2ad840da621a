// SPDX-License-Identifier: Apache-2.0
//
// The expressions of a program that make parameters: nn.Parameter(torch.randn(4, 8)). The tensor
// inside is made by the same expression, on the same lines.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

class ParameterCalls {
public:
    // `symbols` must outlive the object.
    ParameterCalls(const Model& model, const Symbols& symbols);

    // True if this line of a caller is in such an expression.
    bool contains(const Frame& caller) const;

private:
    // By file: first and last lines.
    std::map<std::string_view, std::map<uint32_t, uint32_t>> calls_;
};

}  // namespace memtrace::analyzer
