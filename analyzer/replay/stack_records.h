// SPDX-License-Identifier: Apache-2.0
//
// Records that define stacks, as the model has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "analyzer/model/model.h"
#include "memtrace/dump/format.h"

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

}  // namespace memtrace::analyzer
