// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/backward_join.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

// Maximum number of nodes that the entries may add. Sound dumps need a few per site that went
// backward.
constexpr size_t nodes_added_max = size_t{1} << 25;

}  // namespace

void BackwardJoin::add(const AutogradNode& record, uint32_t lane) {
    if (lane >= lanes_.size()) lanes_.resize(size_t{lane} + 1);
    lanes_[lane] = {record.node, record.type, record.module, 0, 0};
}

void BackwardJoin::forget(uint32_t lane) {
    if (lane < lanes_.size()) lanes_[lane] = {};
}

// The block may differ from the block at the lane's last acquisition although it has the same
// address. A thread that only runs backward records nothing between two steps.
uint32_t BackwardJoin::join(Current& current, HeapSpace& heap) {
    const LiveBlock* block = heap.block_around(current.node);
    const uint64_t stamp = block == nullptr ? 0 : block->number;
    if (current.backward != 0 && current.block == stamp) return current.backward;
    const Key key{current.type, current.module, block == nullptr ? no_site : block->site};
    const auto [entry, is_new] = ids_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    current.block = stamp;
    return current.backward = entry->second;
}

bool BackwardJoin::is_engine(const Location& node) const {
    return std::any_of(engines_.begin(), engines_.end(), [&](const AutogradEngine& engine) {
        return node.kind == NodeKind::native && node.module == engine.module &&
               node.address >= engine.begin && node.address < engine.end;
    });
}

uint32_t BackwardJoin::add_node(StackTree& tree, StackNode node, uint32_t parent) {
    node.parent = parent;
    return tree.nodes.push_back(node);
}

// If the engine is missing because the stack was truncated, the entry takes the place of the
// missing frames. If nothing is missing, the engine itself acquired the memory, around its call of
// the node.
uint32_t BackwardJoin::stack_with(StackTree& tree, uint32_t stack, uint32_t backward) {
    path_.clear();
    uint32_t outer = stack;
    const auto is_engine_at = [&](uint32_t node) {
        return is_engine(tree.nodes.location(tree.nodes.location_of(node)));
    };
    for (; outer != no_stack && !is_engine_at(outer); outer = tree.nodes.parent(outer)) {
        path_.push_back(outer);
    }
    if (outer == no_stack) {
        const bool cut = tree.nodes[path_.back()].kind == NodeKind::truncated;
        outer = cut ? path_.back() : stack;
        if (cut) path_.pop_back();
        else path_.clear();
    }
    const auto key = [&](uint32_t node) { return uint64_t{node} << 32 | backward; };
    auto [entry, is_new] = entries_.try_emplace(key(outer), 0);
    if (is_new) {
        StackNode node;
        node.defined = true;
        node.backward = backward;
        entry.value() = add_node(tree, node, outer);
    }
    uint32_t at = entry->second;
    for (; !path_.empty(); path_.pop_back()) {
        auto [copy, is_new_copy] = copies_.try_emplace(key(path_.back()), 0);
        if (is_new_copy) copy.value() = add_node(tree, tree.nodes[path_.back()], at);
        at = copy->second;
    }
    return at;
}

uint64_t BackwardJoin::finish(StackTree& tree, std::vector<Space>& spaces) {
    const size_t nodes_max = tree.nodes.size() + nodes_added_max;
    uint64_t left_out = 0;
    if (!engines_.empty()) tree.autograd_module = engines_.back().module;
    const Space* heap = nullptr;
    for (Space& space : spaces) {
        Sites& sites = space.sites;
        for (size_t i = 0; i < sites.size(); ++i) {
            if (sites.backward(i) == 0 || sites.stack(i) == no_stack) continue;
            if (tree.nodes.size() < nodes_max) {
                sites.set_stack(i, stack_with(tree, sites.stack(i), sites.backward(i)));
            } else {
                sites.set_backward(i, 0);
                left_out += 1;
            }
        }
        if (space.name == "host") heap = &space;
    }
    tree.backwards.resize(keys_.size());
    for (size_t id = 1; id < keys_.size(); ++id) {
        const auto& [type, module, site] = keys_[id];
        const bool is_known = heap != nullptr && site < heap->sites.size();
        tree.backwards[id] = {type, module, is_known ? heap->sites.stack(site) : no_stack};
    }
    return left_out;
}

}  // namespace memtrace::analyzer
