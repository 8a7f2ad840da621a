// SPDX-License-Identifier: Apache-2.0
//
// Finds names of functions in debug information. A function that was only ever inlined has no
// linker name there. Its full name is composed of the scopes around it: namespaces, classes, and
// for lambdas the function that contains them.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace memtrace::analyzer {

struct FunctionName {
    std::string text;
    bool mangled = false;
};

class DwarfNames {
public:
    // Announces a function whose name will be requested.
    void want(Dwarf_Die* function);

    // Finds the scopes of all functions announced since the last call, in one walk for each unit.
    void resolve();

    FunctionName name_of(Dwarf_Die* function) const;

private:
    struct Target {
        Dwarf_Off offset = 0;
        Dwarf_Die unit{};
    };

    void walk(Dwarf_Die parent, const std::string& scope, const std::vector<Dwarf_Off>& targets);

    std::vector<Target> wanted_;
    std::unordered_map<Dwarf_Off, std::string> names_;  // by offset of the declaration
};

}  // namespace memtrace::analyzer
