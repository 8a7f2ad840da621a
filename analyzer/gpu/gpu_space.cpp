// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_space.h"

namespace memtrace::analyzer {

GpuSpace::GroupChange GpuSpace::change_of(Group group, bool is_moved, uint64_t time) {
    half_.come_to(time);
    const uint32_t site = counter_.site_of(stack_of(group));
    const uint32_t label = label_of(std::string(label_of_group(group)));
    before_change(site);
    return {group, groups_[group], {site, label, 0, 0, 0, true, is_moved}, time};
}

// A part without a number is new to the space.
void GpuSpace::add_part(GroupChange& change, const GpuGroupParts::Part& part) {
    ObservedChange& grown = change.part;
    if (change.block.parts.bytes() == 0) {
        change.block.number = counter_.begin_group(grown.site, grown.label, change.time);
    }
    grown.number = part.number;
    grown.bytes = part.bytes;
    const uint64_t allocated = change.group == Group::graph_memory ? part.bytes : 0;
    change.block.parts.add({counter_.grow(grown, allocated, change.time), part.bytes});
}

void GpuSpace::take_part(GroupChange& change, const GpuGroupParts::Part& part) {
    change.part.number = part.number;
    change.part.bytes = part.bytes;
    counter_.shrink_group(change.part);
}

void GpuSpace::end_if_empty(const GroupChange& change) {
    if (change.block.parts.bytes() != 0) return;
    counter_.end_group(change.part.site, change.part.label, change.block.number);
}

void GpuSpace::set_group(Group group, uint64_t bytes, uint64_t time) {
    const uint64_t held = groups_[group].parts.bytes();
    if (bytes == held) return;
    GroupChange change = change_of(group, false, time);
    if (bytes > held) return add_part(change, {0, bytes - held});
    change.block.parts.take(held - bytes, [&](const auto& part) { take_part(change, part); });
    end_if_empty(change);
}

void GpuSpace::lend(Group group, uint64_t bytes, uint64_t time) {
    if (bytes == 0) return;
    GroupChange change = change_of(group, true, time);
    change.block.parts.lend(bytes, counter_.newest() + 1,
                            [&](const auto& part) { take_part(change, part); });
    end_if_empty(change);
}

void GpuSpace::take_back(Group group, uint64_t bytes, const GpuHolding& block, uint64_t time) {
    if (bytes == 0) return groups_[group].parts.end_block(block.number, 0, [](const auto&) {});
    GroupChange change = change_of(group, true, time);
    change.block.parts.end_block(block.number, bytes,
                                 [&](const auto& part) { add_part(change, part); });
}

void GpuSpace::tell_groups() {
    for (const auto& [group, block] : groups_) {
        if (block.parts.bytes() == 0) continue;
        const uint32_t site = counter_.site_of(stack_of(group));
        const uint32_t label = label_of(std::string(label_of_group(group)));
        SpaceObserver& observer = *counter_.observer();
        observer.add({site, label, 0, 1, block.number, true}, 0, 0);
        block.parts.for_each([&](const auto& part) {
            observer.add({site, label, part.bytes, 0, part.number, true}, 0, 0);
        });
    }
}

}  // namespace memtrace::analyzer
