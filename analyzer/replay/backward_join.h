// SPDX-License-Identifier: Apache-2.0
//
// Joins memory that autograd allocates backward with the operation that went forward.
//
// A lane records which node its thread runs (autograd_records.h). That node is a heap block of the
// program, so the stack that allocated the block is the forward operation. Memory that the lane
// acquires meanwhile keeps its own stack, with one more entry between the engine and the frames of
// the engine's node:
//
//   as recorded                            in the model
//
//   posix_memalign                         posix_memalign
//   at::mm                                 at::mm
//   Engine::evaluate_function              [backward: AddmmBackward0; its forward: stack 812]
//   THPEngine_run_backward                 Engine::evaluate_function
//   train.py:20 <module>                   THPEngine_run_backward
//                                          train.py:20 <module>
//
// Sites are separated by node class and forward stack. Each block still belongs to one site.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/model/model.h"
#include "analyzer/spaces/heap_space.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class BackwardJoin {
public:
    void add(const AutogradEngine& record) { engines_.push_back(record); }
    void add(const AutogradNode& record, uint32_t lane);
    // Call when another thread takes the lane. The new thread runs no node.
    void forget(uint32_t lane);

    // Returns the backward node of an acquisition on this lane, as an index into
    // StackTree::backwards. `heap` must be in its state before the acquisition.
    uint32_t of(uint32_t lane, HeapSpace& heap) {
        if (lane >= lanes_.size() || lanes_[lane].node == 0) [[likely]]
            return 0;
        return join(lanes_[lane], heap);
    }

    // Gives the sites of backward nodes their stacks. Call after all recorded nodes are in the
    // tree. Returns the number of sites that keep the recorded stack, because a damaged dump must
    // not make the tree take all memory.
    uint64_t finish(StackTree& tree, std::vector<Space>& spaces);

    // The number of backward nodes, the first of which is none.
    uint64_t count() const { return keys_.size(); }
    bool has(uint32_t backward) const { return backward < keys_.size(); }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.engines_, self.lanes_, self.ids_, self.keys_);
        each.check(
            [&] {
                bool is_sound = !self.keys_.empty();
                for (const Current& current : self.lanes_) is_sound &= self.has(current.backward);
                for (const auto& [key, id] : self.ids_) is_sound &= self.has(id);
                return is_sound;
            },
            "a node of autograd in it is not there");
    }

private:
    struct Current {
        uint64_t node = 0;
        uint64_t type = 0;
        uint32_t module = no_module;
        uint32_t backward = 0;  // 0: not joined yet
        uint64_t block = 0;     // number of the acquisition that `backward` was found for
    };
    static constexpr uint32_t no_site = 0xffffffff;
    using Key = std::tuple<uint64_t, uint32_t, uint32_t>;  // type, its module, the node's site

    uint32_t join(Current& current, HeapSpace& heap);
    bool is_engine(const Location& node) const;
    uint32_t stack_with(StackTree& tree, uint32_t stack, uint32_t backward);
    static uint32_t add_node(StackTree& tree, StackNode node, uint32_t parent);

    std::vector<AutogradEngine> engines_;
    std::vector<Current> lanes_;
    std::map<Key, uint32_t> ids_;
    std::vector<Key> keys_{1};  // by id; [0]: none
    // Key: the outer node (entries_) or the copied node (copies_), and the id.
    tsl::robin_map<uint64_t, uint32_t, NumberHash> entries_;
    tsl::robin_map<uint64_t, uint32_t, NumberHash> copies_;
    std::vector<uint32_t> path_;
};

}  // namespace memtrace::analyzer
