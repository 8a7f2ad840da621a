// SPDX-License-Identifier: Apache-2.0
//
// Joins what autograd allocates backward with the operation that went forward.
//
// A lane says which node its thread runs (autograd_records.h). That node is a heap block of the
// program, so whoever allocated it went forward. What the lane acquires meanwhile keeps its own
// stack, and gets one more entry in it, between the engine and what the engine's node did:
//
//   as recorded                            as the model has it
//
//   posix_memalign                         posix_memalign
//   at::mm                                 at::mm
//   Engine::evaluate_function              [backward: AddmmBackward0; its forward: stack 812]
//   THPEngine_run_backward                 Engine::evaluate_function
//   train.py:20 <module>                   THPEngine_run_backward
//                                          train.py:20 <module>
//
// Sites are kept apart by node class and forward stack; each block still belongs to one site.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/spaces/heap_space.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class BackwardJoin {
public:
    void add(const AutogradEngine& record) { engines_.push_back(record); }
    void add(const AutogradNode& record, uint32_t lane);
    // Another thread has the lane now: it runs no node.
    void forget(uint32_t lane);

    // What an acquisition of this lane belongs to, an index into StackTree::backwards. `heap` is as
    // it is before the acquisition.
    uint32_t of(uint32_t lane, HeapSpace& heap) {
        if (lane >= lanes_.size() || lanes_[lane].node == 0) [[likely]]
            return 0;
        return join(lanes_[lane], heap);
    }

    // Gives sites that belong to a node their stacks, once all that was recorded is in the tree.
    // Returns how many keep the recorded one: a damaged dump must not make us take all memory.
    uint64_t finish(StackTree& tree, std::vector<Space>& spaces);

private:
    struct Current {
        uint64_t node = 0;
        uint64_t type = 0;
        uint32_t module = no_module;
        uint32_t backward = 0;  // 0: not joined yet
        uint64_t block = 0;     // the acquisition that `backward` is about
    };
    static constexpr uint32_t no_site = 0xffffffff;
    using Key = std::tuple<uint64_t, uint32_t, uint32_t>;  // type, its module, the node's site

    uint32_t join(Current& current, HeapSpace& heap);
    bool is_engine(const StackNode& node) const;
    uint32_t stack_with(StackTree& tree, uint32_t stack, uint32_t backward);
    static uint32_t add_node(StackTree& tree, const StackNode& node, uint32_t parent);

    std::vector<AutogradEngine> engines_;
    std::vector<Current> lanes_;
    std::map<Key, uint32_t> ids_;
    std::vector<Key> keys_{1};  // by id; [0]: none
    // By the outer node, or by the node that is copied, and the id.
    std::unordered_map<uint64_t, uint32_t> entries_;
    std::unordered_map<uint64_t, uint32_t> copies_;
    std::vector<uint32_t> path_;
};

}  // namespace memtrace::analyzer
