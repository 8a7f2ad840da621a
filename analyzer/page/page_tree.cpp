// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_tree.h"

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
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

PageTree::PageTree(const Model& model, const StackView& view)
    : parents_{root}, frames_{no_frame}, view_(view) {
    const StackNodes& nodes = view.symbols().nodes;
    const FrameFacts& facts = view.facts();
    const std::vector<uint8_t> uses = uses_of(model, view);
    tsl::robin_map<uint64_t, uint32_t, NumberHash> children;
    std::vector<FrameId> shown;
    const auto extend = [&](uint32_t above, uint32_t node, bool fold) {
        if (view.is_dull(node, fold)) return above;
        shown.clear();
        view.show(node, fold, [&](FrameId id) {
            if (facts.has(id, FrameFacts::interesting)) shown.push_back(view.line_of(id));
        });
        for (size_t i = shown.size(); i-- > 0;) {
            const auto next = static_cast<uint32_t>(parents_.size());
            const uint64_t key = uint64_t{above} << 32 | shown[i];
            const auto [entry, is_new] = children.try_emplace(key, next);
            if (is_new) {
                parents_.push_back(above);
                frames_.push_back(shown[i]);
            }
            above = entry->second;
        }
        return above;
    };
    folded_.assign(nodes.size(), root);
    plain_.assign(nodes.size(), root);
    // Callers have smaller numbers.
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        const uint32_t caller = nodes.parent(node);
        if ((uses[node] & used_folded) != 0) folded_[node] = extend(folded_[caller], node, true);
        if ((uses[node] & used_plain) != 0) plain_[node] = extend(plain_[caller], node, false);
    }
}

uint32_t PageTree::node_of(uint32_t stack) const {
    if (!view_.symbols().has(stack)) return root;
    return view_.folds(stack) ? folded_[stack] : plain_[stack];
}

}  // namespace memtrace::analyzer
