// SPDX-License-Identifier: Apache-2.0
//
// A Python function as a method of its class. Python 3.11 and later write "Block.forward", earlier
// versions "forward".
#pragma once

#include <string_view>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

struct MethodName {
    std::string_view owner;  // its class; empty: not known, or a function
    std::string_view name;
};

inline MethodName method_of(const Frame& frame) {
    const std::string_view function = frame.function;
    const size_t dot = function.rfind('.');
    if (dot == std::string_view::npos) return {{}, function};
    return {function.substr(0, dot), function.substr(dot + 1)};
}

}  // namespace memtrace::analyzer
