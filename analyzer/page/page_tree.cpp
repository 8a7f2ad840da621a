// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_tree.h"

#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

namespace {

constexpr uint8_t used_folded = 1;
constexpr uint8_t used_plain = 2;

// Returns by node of the stacks how they are used: as a part of stacks that fold or do not.
std::vector<uint8_t> uses_of(const Model& model, const StackView& view) {
    const StackNodes& nodes = view.symbols().nodes;
    std::vector<uint8_t> uses(nodes.size());
    for (const Space& space : model.spaces) {
        for (const Site& site : space.sites) {
            if (!view.symbols().has(site.stack)) continue;
            uses[site.stack] |= view.folds(site.stack) ? used_folded : used_plain;
        }
    }
    for (auto node = static_cast<uint32_t>(nodes.size()); node-- > 1;) {
        uses[nodes.parent(node)] |= uses[node];
    }
    return uses;
}

}  // namespace

uint32_t PageTree::child(uint32_t above, FrameId frame) {
    const auto next = static_cast<uint32_t>(parents_.size());
    const auto [entry, is_new] = children_.try_emplace(uint64_t{above} << 32 | frame, next);
    if (is_new) {
        parents_.push_back(above);
        frames_.push_back(frame);
    }
    return entry->second;
}

uint32_t PageTree::extend(uint32_t above, uint32_t node, bool fold, bool all) {
    if (!all && view_.is_dull(node, fold)) return above;
    shown_.clear();
    view_.show(node, fold, [&](FrameId id) {
        if (all || view_.facts().has(id, FrameFacts::interesting)) {
            shown_.push_back(view_.line_of(id));
        }
    });
    for (size_t i = shown_.size(); i-- > 0;) above = child(above, shown_[i]);
    return above;
}

void PageTree::extend_in_full(uint32_t stack) {
    const Symbols& symbols = view_.symbols();
    const bool fold = view_.folds(stack);
    std::vector<uint32_t> path;
    for (uint32_t node = stack; symbols.has(node); node = symbols.nodes.parent(node)) {
        path.push_back(node);
    }
    uint32_t last = root;
    for (size_t i = path.size(); i-- > 0;) last = extend(last, path[i], fold, true);
    (fold ? folded_ : plain_)[stack] = last;
}

PageTree::PageTree(const Model& model, const StackView& view)
    : parents_{root}, frames_{no_frame}, view_(view) {
    const StackNodes& nodes = view.symbols().nodes;
    const std::vector<uint8_t> uses = uses_of(model, view);
    folded_.assign(nodes.size(), root);
    plain_.assign(nodes.size(), root);
    // Callers have smaller numbers.
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        const uint32_t caller = nodes.parent(node);
        if ((uses[node] & used_folded) != 0) {
            folded_[node] = extend(folded_[caller], node, true, false);
        }
        if ((uses[node] & used_plain) != 0) {
            plain_[node] = extend(plain_[caller], node, false, false);
        }
    }
    for (const Space& space : model.spaces) {
        for (const Site& site : space.sites) {
            if (view.symbols().has(site.stack) && node_of(site.stack) == root) {
                extend_in_full(site.stack);
            }
        }
    }
}

uint32_t PageTree::node_of(uint32_t stack) const {
    if (!view_.symbols().has(stack)) return root;
    return view_.folds(stack) ? folded_[stack] : plain_[stack];
}

}  // namespace memtrace::analyzer
