// SPDX-License-Identifier: Apache-2.0
//
// The place of a source line inside its code. If the other recording has the same code, the same
// place is the same line, whatever it takes there:
//
//   ./br                                       ./br x, the same build
//   br.c:7 main  100 blocks                    br.c:7 main  -
//   br.c:5 main  -                             br.c:5 main  100 blocks
//
// Native code is the same if its file has the same build-id. A function of Python is the same if
// its code object has the same line table; it may have moved as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

struct LinePlace {
    uint64_t code = 0;  // a hash; 0: not known whether the other recording has the same code
    uint32_t line = 0;  // in the code

    auto operator<=>(const LinePlace&) const = default;
};

class LinePlaces {
public:
    explicit LinePlaces(const StackTree& stacks);

    LinePlace of(const Frame& frame) const;

private:
    struct PythonCode {
        uint64_t lines = 0;  // hash of the line table
        uint32_t first_line = 0;

        bool operator==(const PythonCode&) const = default;
    };
    // No value: there are several, or not all of it is known.
    std::map<std::string, std::optional<std::string>> builds_;  // by path of the module
    std::map<std::pair<std::string, std::string>, std::optional<PythonCode>>
        functions_;  // by file and name
};

}  // namespace memtrace::analyzer
