// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_stacks.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyzer/frames/stack_view.h"
#include "analyzer/page/page_names.h"
#include "analyzer/page/page_tree.h"
#include "analyzer/sites/site_key.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t repeats_max = 8;  // calls of the longest circle that is found

// A frame that is no call has its sentence as its name.
std::string key_of(const Frame& frame, const Executables& executables) {
    const bool is_hole = frame.kind == FrameKind::cut || frame.kind == FrameKind::gap;
    return is_hole ? frame.function : stable_frame(frame, executables);
}

class FrameTable {
public:
    FrameTable(const Recording& recording, const PageOptions& options)
        : recording_(recording),
          executables_(executables_of(recording)),
          names_(recording, options) {}

    uint32_t of(FrameId id) {
        const auto [known, is_new] = by_id_.try_emplace(id, 0);
        if (!is_new) return known->second;
        std::string key = key_of(recording_.symbols.frames[id], executables_);
        const auto next = static_cast<uint32_t>(frames_.size());
        const auto [entry, is_first] = by_key_.try_emplace(key, next);
        if (is_first) {
            ShownFrame shown = names_.shown(id);
            shown.line = 0;
            frames_.push_back({std::move(key), std::move(shown)});
        }
        return known->second = entry->second;
    }

    std::vector<DiffFrame> take() { return std::move(frames_); }

private:
    const Recording& recording_;
    Executables executables_;
    PageNames names_;
    std::unordered_map<FrameId, uint32_t> by_id_;
    std::unordered_map<std::string, uint32_t> by_key_;
    std::vector<DiffFrame> frames_;
};

// Adds up the sites with the same node and line.
std::vector<DiffStackSite> merged(std::vector<DiffStackSite> sites) {
    const auto place = [](const DiffStackSite& site) { return std::tie(site.node, site.line); };
    std::sort(sites.begin(), sites.end(),
              [&](const DiffStackSite& a, const DiffStackSite& b) { return place(a) < place(b); });
    std::vector<DiffStackSite> merged;
    for (const DiffStackSite& site : sites) {
        if (!merged.empty() && place(merged.back()) == place(site)) {
            add(merged.back().figures, site.figures);
        } else {
            merged.push_back(site);
        }
    }
    return merged;
}

}  // namespace

// Looks for the shortest circle of calls that `frame` closes a second time.
uint32_t DiffTreeMaker::repeated(uint32_t caller, uint32_t frame) const {
    uint32_t frames[2 * repeats_max], callers[2 * repeats_max];
    size_t count = 0;
    frames[count++] = frame;
    for (uint32_t node = caller; node != root && count < 2 * repeats_max;
         node = nodes_[node].parent) {
        callers[count] = node;
        frames[count++] = nodes_[node].frame;
    }
    for (size_t circle = 1; 2 * circle <= count; ++circle) {
        if (std::equal(frames, frames + circle, frames + circle)) return callers[circle];
    }
    return root;
}

uint32_t DiffTreeMaker::child(uint32_t caller, uint32_t frame) {
    const uint64_t key = uint64_t{caller} << 32 | frame;
    if (const auto known = children_.find(key); known != children_.end()) return known->second;
    uint32_t node = repeated(caller, frame);
    if (node == root) {
        node = static_cast<uint32_t>(nodes_.size());
        nodes_.push_back({caller, frame});
    }
    children_.emplace(key, node);
    return node;
}

DiffStacks make_diff_stacks(const Recording& recording, const PageOptions& options,
                            const std::vector<std::vector<SiteOfSide>>& sites) {
    const Model& model = recording.model;
    const StackView view(recording.symbols, options.interpreter_frames);
    const PageTree tree(model, view);
    FrameTable frames(recording, options);
    DiffTreeMaker maker;
    std::vector<uint32_t> nodes(tree.size(), DiffTreeMaker::root);  // by node of `tree`
    for (uint32_t node = 1; node < tree.size(); ++node) {
        nodes[node] = maker.child(nodes[tree.parent(node)], frames.of(tree.frame(node)));
    }
    DiffStacks stacks;
    for (size_t space = 0; space < model.spaces.size(); ++space) {
        std::vector<DiffStackSite> found;
        for (size_t i = 0; i < sites[space].size(); ++i) {
            const uint32_t stack = model.spaces[space].sites[i].stack;
            found.push_back(
                {nodes[tree.node_of(stack)], sites[space][i].line, sites[space][i].figures});
        }
        stacks.sites.push_back(merged(std::move(found)));
    }
    stacks.frames = frames.take();
    stacks.nodes = maker.take();
    return stacks;
}

}  // namespace memtrace::analyzer
