// SPDX-License-Identifier: Apache-2.0
//
// Joins stacks that were defined several times. The recorded process remembers only the stacks that
// it met lately. A stack that comes again later is defined again, under another id:
//
//   node 7    parent 3    parse+0x10        7 stands for both: events of stack 90 become
//   ...                                     events of stack 7, and nodes below 90 nodes below 7
//   node 90   parent 3    parse+0x10
//
// The first definition that is read stands for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "analyzer/base/long_list.h"
#include "analyzer/model/number_table.h"
#include "analyzer/model/stack_nodes.h"
#include "analyzer/reader/event.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class NodeJoin {
public:
    explicit NodeJoin(StackNodes nodes) : nodes_(std::move(nodes)) {}

    // Nodes of this module are left out of the stacks of what they call, which are joined with
    // those that do not go through it. An innermost node of it stays.
    void leave_out(uint32_t module);

    // Frees what only further definitions need. There must be none.
    void forget_children();
    // Joins what `known` joins. Its nodes are the same, and there are no further definitions.
    void join_like(const NodeJoin& known);

    // Prefetches what define() will look up for this node. This function and its callers must be
    // inlined (large_table.h).
    [[gnu::always_inline]] void soon(const Node& record) const {
        const Location location = location_of(record);
        nodes_.soon(location);
        // The parent of most nodes is the one before, which is new and has no child yet.
        if (record.parent + 1 == record.id) return;
        others_.soon(hash_of(record.parent, location));
        if (record.parent < first_children_.size())
            __builtin_prefetch(&first_children_[record.parent]);
        nodes_.soon(record.parent + 1);  // The first child of a node is mostly the next one.
    }

    // Sets a node. Returns false if the parent cannot be right.
    bool define(const Node& record);

    // Returns the node that stands for this one.
    uint32_t joined(uint32_t id) const {
        const uint32_t first = id < firsts_.size() ? firsts_[id] : no_stack;
        return first == no_stack ? id : first;
    }

    // Returns the event with joined stacks. The result is valid until the next call.
    [[gnu::always_inline]] const Event& joined(const Event& event) {
        if (copies_ == 0 || std::holds_alternative<Release>(event.record)) [[likely]]
            return event;
        return join(event);
    }

    // The number of nodes that others stand for.
    size_t copies() const { return copies_; }

    // archive.h. The nodes must be there.
    static void state(auto& self, auto& each) {
        constexpr bool reads = std::remove_reference_t<decltype(each)>::reads;
        std::vector<Copy> copies;
        if constexpr (!reads) copies = self.all_copies();
        each(copies);
        if constexpr (reads) self.restore(copies);
    }

private:
    // A node, and the one that stands for it.
    struct Copy {
        uint32_t id = no_stack;
        uint32_t first = no_stack;
    };

    static Location location_of(const Node& record) {
        Location location;
        location.module = record.module;
        location.kind = record.kind;
        location.address = record.address;
        location.defined = true;
        return location;
    }
    static uint32_t hash_of(uint32_t parent, const Location& location) {
        return location.hash() ^ parent * 0x9e3779b1u;
    }

    bool define_again(const Node& record, uint32_t parent);
    // Returns the child of `parent` for which is_it(child) is true, or else makes `id` its child.
    template <class IsIt>
    uint32_t find_or_add_child(uint32_t id, uint32_t parent, const Location& location,
                               IsIt&& is_it);
    uint32_t find_or_add_child(uint32_t id, uint32_t parent, uint32_t location);
    void add_copy(Copy copy);
    std::vector<Copy> all_copies() const;
    // Sets the copies, and makes the rest anew from the nodes.
    void restore(const std::vector<Copy>& copies);
    const Event& join(const Event& event);
    bool is_left_out(uint32_t id) const { return id < are_left_out_.size() && are_left_out_[id]; }
    bool is_of_left_out(uint32_t module) const {
        return std::find(left_out_.begin(), left_out_.end(), module) != left_out_.end();
    }
    void mark_left_out(uint32_t id);

    StackNodes nodes_;
    std::vector<uint32_t> left_out_;     // modules
    std::vector<bool> are_left_out_;     // by node; one beyond the end is not
    LongList<uint32_t> first_children_;  // by parent
    NumberTable others_;                 // the other children of all nodes
    // By node: what stands for it; no_stack or beyond the end: itself. No hash table: there may be
    // as many copies as nodes, and those that are used at about one time lie side by side.
    LongList<uint32_t> firsts_;
    size_t copies_ = 0;
    Event event_;
    AnyRecord other_;
};

}  // namespace memtrace::analyzer
