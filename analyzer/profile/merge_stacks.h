// SPDX-License-Identifier: Apache-2.0
//
// Unites the call stacks of several recordings by their names. Equal nodes have equal places, equal
// callers, and went forward in equal stacks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/profile/profile_tree.h"

namespace memtrace::analyzer {

class StackSums {
public:
    // Returns for each node of the recording its number here, or no_stack if it is not used.
    std::vector<uint32_t> add(const Recording& part);

    // Sets frames and call stacks of `sum` in canonical order. Returns for each number of add() the
    // node of `sum`.
    std::vector<uint32_t> finish(Recording& sum);

private:
    struct FrameHash {
        size_t operator()(const Frame& frame) const;
    };
    struct PlaceHash {
        size_t operator()(const NamedPlace& place) const;
    };
    using NodeKey = std::array<uint32_t, 4>;  // parent, place, forward plus 1, is complete
    struct NodeHash {
        size_t operator()(const NodeKey& key) const;
    };

    std::vector<uint32_t> add_modules(const std::vector<NamedModule>& modules);
    std::vector<uint32_t> add_places(const NamedTree& tree, const std::vector<Frame>& frames,
                                     const std::vector<uint32_t>& modules);
    void sort_places(Recording& sum);
    std::vector<uint64_t> content_hashes() const;
    std::vector<uint32_t> depth_first() const;

    std::unordered_map<Frame, FrameId, FrameHash> frame_ids_;
    std::vector<const Frame*> frames_;
    std::map<std::pair<std::string, std::string>, uint32_t> module_ids_;  // by path and build id
    std::unordered_map<NamedPlace, uint32_t, PlaceHash> place_ids_;
    tsl::robin_map<NodeKey, uint32_t, NodeHash> node_ids_;
    NamedTree tree_;                       // `forwards` is empty: see forward_of_
    std::vector<uint32_t> forward_of_{0};  // by node: forward plus 1; 0: it is not backward
};

}  // namespace memtrace::analyzer
