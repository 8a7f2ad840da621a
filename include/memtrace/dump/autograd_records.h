// SPDX-License-Identifier: Apache-2.0
//
// Records about PyTorch's autograd running backward. Autograd runs a graph of nodes that the
// forward operations made. Each node is a heap block, so the stack that allocated it is that of the
// forward operation. A lane records the node that its thread runs, and the reader finds the block.
#pragma once

#include <cstdint>

#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/names.h"

namespace memtrace {

// The function of autograd's engine that runs one node. The part of a stack inside this function
// belongs to the node. Comes before the first AutogradNode.
struct AutogradEngine {
    static constexpr uint8_t tag = 26;
    static constexpr const char* name = "autograd_engine";
    uint64_t time = 0;
    uint32_t module = no_module;
    uint64_t begin = 0;  // addresses [begin, end)
    uint64_t end = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("module", self.module, coding::plain);
        each("begin", self.begin, coding::plain);
        each("end", self.end, coding::plain);
    }
};

// The node that the lane's thread runs. It applies to all later acquisitions, resizes and mappings
// of the lane, until the next of these records or until another thread takes the lane.
struct AutogradNode {
    static constexpr uint8_t tag = 27;
    static constexpr const char* name = "autograd_node";
    uint64_t time = 0;
    uint64_t node = 0;            // its address; 0: none runs
    uint64_t type = 0;            // its first word, an address in the vtable of its class
    uint32_t module = no_module;  // the module with the vtable

    static constexpr void fields(auto&& self, auto&& each) {
        each("node_address", self.node, coding::delta);
        each("type_address", self.type, coding::delta);
        each("module", self.module, coding::delta);
    }
};

}  // namespace memtrace
