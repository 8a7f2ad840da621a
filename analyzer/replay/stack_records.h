// SPDX-License-Identifier: Apache-2.0
//
// Records that define stacks, as the model has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analyzer/model/known_modules.h"
#include "analyzer/model/model.h"
#include "memtrace/dump/format.h"
#include "memtrace/dump/python_records.h"

namespace memtrace::analyzer {

inline void define_module(StackTree& stacks, const Module& record) {
    stacks.modules[record.id] = {record.begin, record.end, record.bias, std::string(record.path),
                                 std::string(record.build_id)};
}

// Returns for each location if it lies in a module that is wanted; nothing if there is no such
// module. `is_wanted(path)` is asked once for each module.
template <class IsWanted>
std::vector<bool> locations_in(const StackTree& stacks, IsWanted&& is_wanted) {
    std::unordered_set<uint32_t> modules;
    for (const auto& [id, module] : stacks.modules) {
        if (is_wanted(module.path)) modules.insert(id);
    }
    if (modules.empty()) return {};
    std::vector<bool> found(stacks.nodes.location_count());
    for (uint32_t i = 0; i < found.size(); ++i) {
        found[i] = modules.contains(stacks.nodes.location(i).module);
    }
    return found;
}

// Leaves the shim's own frames out of stacks. The shim stands in front of Python's allocator, so it
// is in the stack of a block that malloc provided for an object of the sample, and of no other:
//
//   malloc  _PyObject_Malloc  [libmemtrace.so]  bytearray()  main()
//
// A frame that is the innermost one stays. Call when all records are read.
inline void leave_out_shim(StackTree& stacks) {
    const std::vector<bool> is_shims = locations_in(stacks, is_shim_module);
    if (is_shims.empty()) return;
    StackNodes& nodes = stacks.nodes;
    // Parents come first, so the parent of a parent has been seen to.
    for (uint32_t id = 1; id < nodes.size(); ++id) {
        const uint32_t parent = nodes.parent(id);
        if (parent == no_stack || !is_shims[nodes.location_of(parent)]) continue;
        nodes.set(id, nodes.parent(parent), Location(nodes.location(nodes.location_of(id))));
    }
}

// Ends stacks of greenlets where the greenlet began. Greenlets share a machine stack: when one goes
// on, its own part is copied back, and what lies further out belongs to whoever ran last.
//
//   bytearray()  handler()  Greenlet.run  inner_bootstrap │ g_switch  green_switch  ...
//                                         _greenlet.so    │ cut off: no line of Python is outside
//
// Call when all records are read.
inline void cut_at_greenlets(StackTree& stacks) {
    const std::vector<bool> is_greenlets = locations_in(stacks, is_greenlet_module);
    if (is_greenlets.empty()) return;
    StackNodes& nodes = stacks.nodes;
    std::vector<bool> has_python(nodes.size());  // in the node or outside of it
    for (uint32_t id = 1; id < nodes.size(); ++id) {
        const Location& location = nodes.location(nodes.location_of(id));
        const uint32_t parent = nodes.parent(id);
        const bool is_python =
            location.kind == NodeKind::python && python_code_of(location.address) != 0;
        has_python[id] = is_python || (parent != no_stack && has_python[parent]);
        if (!has_python[id] && is_greenlets[nodes.location_of(id)]) {
            nodes.set(id, no_stack, Location(location));
        }
    }
}

}  // namespace memtrace::analyzer
