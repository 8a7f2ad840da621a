// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/used_nodes.h"

namespace memtrace::analyzer {

template <class Each>
void UsedNodes::for_each_stack(Each&& each) const {
    const auto visit = [&](uint32_t stack) {
        if (stack != no_stack && stack < model_.stacks.nodes.size()) each(stack);
    };
    for (const Space& space : model_.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) visit(space.sites.stack(i));
    }
    for (const GpuRefusal& refusal : model_.gpu.refusals) visit(refusal.stack);
    for (const std::optional<HostLedger>* ledger : {&model_.host.at_peak, &model_.host.at_end}) {
        if (!*ledger) continue;
        for (const HostPin& pin : (*ledger)->pins) visit(pin.stack);
    }
}

UsedNodes::UsedNodes(const Model& model)
    : model_(model),
      nodes_(model.stacks.nodes.size()),
      locations_(model.stacks.nodes.location_count()),
      places_(model.stacks.nodes.location_count()) {
    const StackNodes& nodes = model.stacks.nodes;
    for_each_stack([this](uint32_t stack) { nodes_[stack] = 1; });
    for (auto id = static_cast<uint32_t>(nodes.size()); id-- > 1;) {  // callers last
        if (nodes_[id] == 0) continue;
        locations_[nodes.location_of(id)] = 1;
        const uint32_t parent = nodes.parent(id);
        uint8_t& place = places_[nodes.location_of(id)];
        if (parent == no_stack) {
            place |= outermost;
            continue;
        }
        nodes_[parent] = 1;
        if (nodes.parent(parent) == no_stack) place |= second;
    }
}

std::vector<uint8_t> UsedNodes::only_with(const std::vector<uint8_t>& locations) const {
    enum : uint8_t { has_one = 1, in_stack_without = 2 };
    const StackNodes& nodes = model_.stacks.nodes;
    std::vector<uint8_t> marks(nodes.size());
    for (uint32_t id = 1; id < nodes.size(); ++id) {  // callers first
        const uint32_t parent = nodes.parent(id);
        const bool above = parent != no_stack && (marks[parent] & has_one) != 0;
        if (above || locations[nodes.location_of(id)] != 0) marks[id] = has_one;
    }
    for_each_stack([&](uint32_t stack) {
        if ((marks[stack] & has_one) == 0) marks[stack] |= in_stack_without;
    });
    std::vector<uint8_t> only(nodes.location_count(), 1);
    for (auto id = static_cast<uint32_t>(nodes.size()); id-- > 1;) {  // callers last
        if ((marks[id] & in_stack_without) == 0) continue;
        only[nodes.location_of(id)] = 0;
        const uint32_t parent = nodes.parent(id);
        if (parent != no_stack) marks[parent] |= in_stack_without;
    }
    return only;
}

}  // namespace memtrace::analyzer
