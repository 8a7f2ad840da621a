// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/node_join.h"

#include <algorithm>
#include <type_traits>

namespace memtrace::analyzer {
namespace {

// Calls visit(stack) for the stacks of a record.
template <class Record, class Visit>
void visit_stacks(Record& record, Visit&& visit) {
    if constexpr (requires { record.resize; }) visit(record.resize.stack);
    else if constexpr (requires { record.remap; }) visit(record.remap.stack);
    else if constexpr (requires { record.stack; }) visit(record.stack);
}

}  // namespace

template <class IsIt>
[[gnu::always_inline]] inline uint32_t NodeJoin::find_or_add_child(uint32_t id, uint32_t parent,
                                                                   const Location& location,
                                                                   IsIt&& is_it) {
    first_children_.grow_to(size_t{parent} + 1, no_stack);
    uint32_t& first = first_children_[parent];
    if (first == no_stack) first = id;
    if (first == id || is_it(first)) return first;
    return others_.find_or_add(hash_of(parent, location), id, [&](uint32_t other) {
        return nodes_.parent(other) == parent && is_it(other);
    });
}

// One search finds a stack that is known, and the number of its location with it. Only a new one
// needs a search among all locations.
[[gnu::flatten]] bool NodeJoin::define(const Node& record) {
    const uint32_t id = record.id;
    uint32_t parent = joined(record.parent);
    while (is_left_out(parent)) parent = nodes_.parent(parent);
    // Two threads have defined the parent at the same moment, and the later number came first.
    if (parent >= id) parent = record.parent;
    const bool is_defined = id < nodes_.size() && nodes_.location_of(id) != 0;
    if (parent >= id || is_defined) [[unlikely]]
        return define_again(record, parent);
    const Location location = location_of(record);
    const uint32_t first = find_or_add_child(id, parent, location, [&](uint32_t other) {
        return nodes_.location(nodes_.location_of(other)) == location;
    });
    if (!left_out_.empty() && is_of_left_out(record.module)) mark_left_out(id);
    if (first == id) return nodes_.set(id, parent, location);
    nodes_.set_numbered(id, parent, nodes_.location_of(first));
    add_copy({id, first});
    return true;
}

// A damaged dump may define a node twice, in two places. What was said last counts.
[[gnu::noinline]] bool NodeJoin::define_again(const Node& record, uint32_t parent) {
    if (!nodes_.set(record.id, parent, location_of(record))) return false;
    const uint32_t first = find_or_add_child(record.id, parent, nodes_.location_of(record.id));
    if (first != record.id) add_copy({record.id, first});
    return true;
}

// Modules are defined before their nodes. Of a dump that was read to its middle before, the nodes
// are there already.
void NodeJoin::leave_out(uint32_t module) {
    if (is_of_left_out(module)) return;
    left_out_.push_back(module);
    for (uint32_t id = 1; id < nodes_.size(); ++id) {
        if (nodes_.location(nodes_.location_of(id)).module == module) mark_left_out(id);
    }
}

void NodeJoin::mark_left_out(uint32_t id) {
    if (id >= are_left_out_.size()) are_left_out_.resize(size_t{id} + 1);
    are_left_out_[id] = true;
}

void NodeJoin::forget_children() {
    first_children_ = {};
    others_ = {};
}

void NodeJoin::join_like(const NodeJoin& known) {
    firsts_ = known.firsts_;
    copies_ = known.copies_;
}

void NodeJoin::add_copy(Copy copy) {
    firsts_.grow_to(size_t{copy.id} + 1, no_stack);
    copies_ += firsts_[copy.id] == no_stack;
    firsts_[copy.id] = copy.first;
}

uint32_t NodeJoin::find_or_add_child(uint32_t id, uint32_t parent, uint32_t location) {
    return find_or_add_child(id, parent, nodes_.location(location),
                             [&](uint32_t other) { return nodes_.location_of(other) == location; });
}

std::vector<NodeJoin::Copy> NodeJoin::all_copies() const {
    std::vector<Copy> copies;
    copies.reserve(copies_);
    for (uint32_t id = 0; id < firsts_.size(); ++id) {
        if (firsts_[id] != no_stack) copies.push_back({id, firsts_[id]});
    }
    return copies;
}

void NodeJoin::restore(const std::vector<Copy>& copies) {
    firsts_.clear();
    copies_ = 0;
    for (const Copy& copy : copies) {
        if (copy.id < nodes_.size() && copy.first < nodes_.size()) add_copy(copy);
    }
    for (uint32_t id = 1; id < nodes_.size(); ++id) {
        const uint32_t location = nodes_.location_of(id);
        const bool is_defined = nodes_.location(location).defined;
        if (is_defined && joined(id) == id) find_or_add_child(id, nodes_.parent(id), location);
    }
}

const Event& NodeJoin::join(const Event& event) {
    if (const auto* acquire = std::get_if<Acquire>(&event.record)) {
        const uint32_t stack = joined(acquire->stack);
        if (stack == acquire->stack) return event;
        event_ = event;
        std::get<Acquire>(event_.record).stack = stack;
        return event_;
    }
    const auto* const other = std::get_if<const AnyRecord*>(&event.record);
    if (other == nullptr) return event;
    bool is_same = true;
    std::visit(
        [&](const auto& record) {
            visit_stacks(record, [&](uint32_t stack) { is_same = joined(stack) == stack; });
        },
        **other);
    if (is_same) return event;
    other_ = **other;
    std::visit(
        [&](auto& record) {
            visit_stacks(record, [&](uint32_t& stack) { stack = joined(stack); });
        },
        other_);
    event_ = {event.key, &other_};
    return event_;
}

}  // namespace memtrace::analyzer
