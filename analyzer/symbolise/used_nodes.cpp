// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/used_nodes.h"

#include <optional>
#include <utility>

namespace memtrace::analyzer {

namespace {

std::vector<uint8_t> stacks_of(const Model& model) {
    std::vector<uint8_t> stacks(model.stacks.nodes.size());
    const auto mark = [&](uint32_t stack) {
        if (stack != no_stack && stack < stacks.size()) stacks[stack] = 1;
    };
    for (const Space& space : model.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) mark(space.sites.stack(i));
    }
    for (const GpuRefusal& refusal : model.gpu.refusals) mark(refusal.stack);
    for (const std::optional<HostLedger>* ledger : {&model.host.at_peak, &model.host.at_end}) {
        if (!*ledger) continue;
        for (const HostPin& pin : (*ledger)->pins) mark(pin.stack);
        for (const HostUntouched& one : (*ledger)->untouched) mark(one.stack);
    }
    return stacks;
}

}  // namespace

UsedNodes::UsedNodes(const Model& model) : UsedNodes(model.stacks.nodes, stacks_of(model)) {}

UsedNodes::UsedNodes(StackNodes nodes, std::vector<uint8_t> stacks)
    : nodes_(std::move(nodes)),
      uses_(std::move(stacks)),
      locations_(nodes_.location_count()),
      places_(nodes_.location_count()) {
    for (auto id = static_cast<uint32_t>(nodes_.size()); id-- > 1;) {  // callers last
        if (uses_[id] == 0) continue;
        const uint32_t location = nodes_.location_of(id);
        locations_[location] = 1;
        const uint32_t parent = nodes_.parent(id);
        if (parent == no_stack) {
            places_[location] |= outermost;
            continue;
        }
        uses_[parent] |= caller;
        if (nodes_.parent(parent) == no_stack) places_[location] |= second;
    }
}

std::vector<uint8_t> UsedNodes::only_with(const std::vector<uint8_t>& locations) const {
    enum : uint8_t { has_one = 1, in_stack_without = 2 };
    std::vector<uint8_t> marks(nodes_.size());
    for (uint32_t id = 1; id < nodes_.size(); ++id) {  // callers first
        const uint32_t parent = nodes_.parent(id);
        const bool above = parent != no_stack && (marks[parent] & has_one) != 0;
        if (above || locations[nodes_.location_of(id)] != 0) marks[id] = has_one;
        else if ((uses_[id] & stack) != 0) marks[id] = in_stack_without;
    }
    std::vector<uint8_t> only(nodes_.location_count(), 1);
    for (auto id = static_cast<uint32_t>(nodes_.size()); id-- > 1;) {  // callers last
        if ((marks[id] & in_stack_without) == 0) continue;
        only[nodes_.location_of(id)] = 0;
        const uint32_t parent = nodes_.parent(id);
        if (parent != no_stack) marks[parent] |= in_stack_without;
    }
    return only;
}

}  // namespace memtrace::analyzer
