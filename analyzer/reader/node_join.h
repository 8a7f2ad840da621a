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

#include <cstdint>
#include <variant>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/long_list.h"
#include "analyzer/base/number_hash.h"
#include "analyzer/model/stack_nodes.h"
#include "analyzer/reader/event.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class NodeJoin {
public:
    explicit NodeJoin(StackNodes nodes) : nodes_(std::move(nodes)) {}

    // Sets a node. Returns false if the parent cannot be right.
    bool define(const Node& record);

    // Returns the node that stands for this one.
    uint32_t joined(uint32_t id) const {
        return id < is_copy_.size() && is_copy_[id] ? firsts_.at(id) : id;
    }

    // Returns the event with joined stacks. The result is valid until the next call.
    [[gnu::always_inline]] const Event& joined(const Event& event) {
        if (firsts_.empty()) [[likely]]
            return event;
        return join(event);
    }

    // The number of nodes that others stand for.
    size_t copies() const { return firsts_.size(); }

    // archive.h. The nodes must be there.
    static void state(auto& self, auto& each) {
        each(self.firsts_);
        if constexpr (std::remove_reference_t<decltype(each)>::reads) self.find_children();
    }

private:
    // A child, and half of the hash of its parent and location: a place in the table says mostly by
    // itself that it is another's.
    struct Child {
        uint32_t id = no_stack;  // no_stack: the place is free
        uint32_t hash = 0;
    };

    uint32_t find_or_add_child(uint32_t id, uint32_t parent, uint32_t location);
    void make_room();
    // Makes everything but firsts_ anew, from the nodes.
    void find_children();
    const Event& join(const Event& event);

    StackNodes nodes_;
    LongList<uint32_t> first_children_;  // by parent
    // The other children of all nodes, in open addressing by their hash.
    std::vector<Child> others_;
    size_t others_used_ = 0;
    tsl::robin_map<uint32_t, uint32_t, NumberHash> firsts_;  // by copy: what stands for it
    std::vector<bool> is_copy_;
    Event event_;
    AnyRecord other_;
};

}  // namespace memtrace::analyzer
