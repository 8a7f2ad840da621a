// SPDX-License-Identifier: Apache-2.0
//
// The frames of all stacks that interest a reader, merged from the outermost inwards: the tree from
// which page_stacks.h keeps a part. Frames that are the same line of the same function are one
// node. A stack of frames that interest nobody has all of them: without any it would read as one
// that was not recorded.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class PageTree {
public:
    static constexpr uint32_t root = 0;

    // Has the stacks of all sites of the model.
    PageTree(const Model& model, const StackView& view);

    size_t size() const { return parents_.size(); }
    // The parent has a smaller number, except that of the root, which is the root.
    uint32_t parent(uint32_t node) const { return parents_[node]; }
    FrameId frame(uint32_t node) const { return frames_[node]; }
    // Returns the node of a stack's innermost frame.
    uint32_t node_of(uint32_t stack) const;

private:
    // Returns the node of a frame below another, which is new if nothing has led to it yet.
    uint32_t child(uint32_t above, FrameId frame);
    // Returns the last of the nodes for the shown frames of a node of the stacks. `all`: those that
    // are not interesting, too.
    uint32_t extend(uint32_t above, uint32_t node, bool fold, bool all);
    void extend_in_full(uint32_t stack);

    // Nodes of the tree by nodes of the stacks. Whether a stack leaves out the frames of the
    // interpreter depends on the whole stack, so a node of the stacks may have two.
    std::vector<uint32_t> folded_;
    std::vector<uint32_t> plain_;
    std::vector<uint32_t> parents_;
    std::vector<FrameId> frames_;
    tsl::robin_map<uint64_t, uint32_t, NumberHash> children_;
    std::vector<FrameId> shown_;
    const StackView& view_;
};

}  // namespace memtrace::analyzer
