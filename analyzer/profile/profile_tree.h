// SPDX-License-Identifier: Apache-2.0
//
// The call stacks of a recording without addresses, in the form in which profiles are written and
// merged. It is the only part of the room that depends on how StackTree and Symbols are laid out.
//
// The *place* of a node is everything about it but its parent and the stack that went forward:
//
//   node 7 = (parent 6, place 3)     place 3 = frames [at::empty (inlined), at::mm], module 12
//
// Different addresses with the same names have the same place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/site_groups.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct NamedModule {
    std::string path;
    std::string build_id;  // raw bytes
    Names names = Names::none;
    bool is_listed = false;  // It occurs in Symbols::modules.

    auto operator<=>(const NamedModule&) const = default;
};

struct NamedPlace {
    std::vector<FrameId> frames;  // innermost first
    uint32_t module = 0;          // index into NamedTree::modules plus 1; 0: none
    NodeKind kind = NodeKind::native;
    bool defined = true;
    Group group = Group::none;
    uint32_t reason = 0;  // Cut of a truncated node, PythonGap of a gap plus 1

    auto operator<=>(const NamedPlace&) const = default;
};

struct NamedTree {
    std::vector<NamedModule> modules;
    std::vector<NamedPlace> places;
    // By node; [0] is "no stack". Parents come first.
    std::vector<uint32_t> parents{no_stack};
    std::vector<uint32_t> place_of{0};
    std::vector<bool> complete{false};
    std::vector<std::pair<uint32_t, uint32_t>> forwards;  // by backward node, sorted: its forward
};

struct TakenTree {
    NamedTree tree;
    std::vector<uint32_t> node_of;  // by node of the recording: node of the tree, or no_stack
};

// Returns the nodes that lead to sites and refusals, in the order of the recording.
TakenTree take_tree(const Recording& recording);

// Sets the parts of the recording that hold call stacks. The frames must be there already.
void put_tree(const NamedTree& tree, Recording& recording);

// Returns all nodes but 0 such that a node follows its parent and the stack that went forward.
// Returns nothing if there is no such order, because a stack leads to itself.
std::optional<std::vector<uint32_t>> in_order(const NamedTree& tree);

}  // namespace memtrace::analyzer
