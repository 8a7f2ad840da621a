// SPDX-License-Identifier: Apache-2.0
//
// Names of functions in debug information. Where the compiler did not write down the linker's name
// (functions that were only ever inlined), the full name is put together from the scopes around
// the function: namespaces, classes, and for lambdas the function that they are in.
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
    // Announces a function whose name will be asked for.
    void want(Dwarf_Die* function);

    // Finds scopes for all that were announced since the last time: one walk for each unit.
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
