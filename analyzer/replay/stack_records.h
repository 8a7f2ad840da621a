// SPDX-License-Identifier: Apache-2.0
//
// Records that define stacks, as the model has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analyzer/base/paths.h"
#include "analyzer/model/greenlet_module.h"
#include "analyzer/model/model.h"
#include "memtrace/dump/format.h"
#include "memtrace/dump/python_records.h"

namespace memtrace::analyzer {

// Returns the limit of the ids that are believed after `nodes` definitions. Ids are dense, but an
// id in a damaged dump may be any number.
constexpr uint64_t node_id_limit(uint64_t nodes) {
    return std::max<uint64_t>(uint64_t{1} << 20, nodes * 16);
}

// Returns false if the parent of the node cannot be right.
inline bool define_node(StackNodes& nodes, const Node& record) {
    Location location;
    location.module = record.module;
    location.kind = record.kind;
    location.address = record.address;
    location.defined = true;
    return nodes.set(record.id, record.parent, location);
}

inline void define_module(StackTree& stacks, const Module& record) {
    stacks.modules[record.id] = {record.begin, record.end, record.bias, std::string(record.path),
                                 std::string(record.build_id)};
}

inline bool is_shim(std::string_view path) { return base_name(path).starts_with("libmemtrace"); }

// Leaves the shim's own frames out of stacks. The shim stands in front of Python's allocator, so it
// is in the stack of a block that malloc provided for an object of the sample, and of no other:
//
//   malloc  _PyObject_Malloc  [libmemtrace.so]  bytearray()  main()
//
// A frame that is the innermost one stays. Call when all records are read.
inline void leave_out_shim(StackTree& stacks) {
    std::unordered_set<uint32_t> modules;
    for (const auto& [id, module] : stacks.modules) {
        if (is_shim(module.path)) modules.insert(id);
    }
    if (modules.empty()) return;
    StackNodes& nodes = stacks.nodes;
    const auto is_left_out = [&](uint32_t node) {
        return node != no_stack && modules.contains(nodes.location(nodes.location_of(node)).module);
    };
    // Parents come first, so the parent of a parent has been seen to.
    for (uint32_t id = 1; id < nodes.size(); ++id) {
        const uint32_t parent = nodes.parent(id);
        if (!is_left_out(parent)) continue;
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
    std::unordered_set<uint32_t> modules;
    for (const auto& [id, module] : stacks.modules) {
        if (is_greenlet_module(module.path)) modules.insert(id);
    }
    if (modules.empty()) return;
    StackNodes& nodes = stacks.nodes;
    std::vector<bool> has_python(nodes.size());  // in the node or outside of it
    for (uint32_t id = 1; id < nodes.size(); ++id) {
        const Location& location = nodes.location(nodes.location_of(id));
        const uint32_t parent = nodes.parent(id);
        const bool is_python =
            location.kind == NodeKind::python && python_code_of(location.address) != 0;
        has_python[id] = is_python || (parent != no_stack && has_python[parent]);
        if (!has_python[id] && modules.contains(location.module)) {
            nodes.set(id, no_stack, Location(location));
        }
    }
}

}  // namespace memtrace::analyzer
