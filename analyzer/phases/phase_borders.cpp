// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_borders.h"

#include <algorithm>

#include "analyzer/phases/phase_names.h"

namespace memtrace::analyzer {

bool PhaseBorders::takes(const Mark& mark) {
    last_ = nullptr;
    if (mark.kind != MarkKind::begin && mark.kind != MarkKind::end) return false;
    const std::string name = grouped_name(full_name(mark));
    auto found = groups_.find(name);
    if (found == groups_.end()) {
        if (groups_.size() >= groups_max) return false;
        found = groups_.try_emplace(name).first;
    }
    Group& group = found->second;
    if (!group.is_given_up && group.cuts.size() >= of_group_max) give_up(group);
    if (group.is_given_up) return false;
    if (count_ >= borders_max && !give_up_largest()) return false;
    if (group.is_given_up) return false;
    last_ = &group;
    return true;
}

void PhaseBorders::add(uint32_t cut) {
    if (last_ == nullptr) return;
    last_->cuts.push_back(cut);
    count_ += 1;
    last_ = nullptr;
}

void PhaseBorders::append_cuts(std::vector<uint32_t>& cuts) const {
    for (const auto& [name, group] : groups_)
        cuts.insert(cuts.end(), group.cuts.begin(), group.cuts.end());
}

bool PhaseBorders::give_up_largest() {
    constexpr size_t large = 5;  // more than two phases
    const auto most =
        std::max_element(groups_.begin(), groups_.end(), [](const auto& one, const auto& other) {
            return one.second.cuts.size() < other.second.cuts.size();
        });
    if (most == groups_.end() || most->second.cuts.size() < large) return false;
    give_up(most->second);
    return true;
}

void PhaseBorders::give_up(Group& group) {
    count_ -= group.cuts.size();
    group.cuts.clear();
    group.is_given_up = true;
}

}  // namespace memtrace::analyzer
