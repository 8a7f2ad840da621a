// SPDX-License-Identifier: Apache-2.0
//
// The libraries that were loaded at several places, one after the other. What such a library
// allocates has several call sites that read the same.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class LoadedAgain {
public:
    explicit LoadedAgain(const StackTree& stacks) : nodes_(stacks.nodes) {
        std::map<std::string, std::vector<uint32_t>> by_path;
        for (const auto& [id, module] : stacks.modules) by_path[module.path].push_back(id);
        for (const auto& [path, ids] : by_path) {
            if (ids.size() > 1) modules_.insert(ids.begin(), ids.end());
        }
    }

    // True if such a library is in the stack.
    bool is_in(uint32_t stack) const {
        if (modules_.empty()) return false;
        for (; stack != no_stack; stack = nodes_.parent(stack)) {
            if (modules_.contains(nodes_.location(nodes_.location_of(stack)).module)) return true;
        }
        return false;
    }

private:
    StackNodes nodes_;
    std::set<uint32_t> modules_;
};

}  // namespace memtrace::analyzer
