// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_phases.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "analyzer/base/saturating.h"

namespace memtrace::analyzer {
namespace {

void add_info(PhaseInfo& sum, const PhaseInfo& part) {
    sum.open = sum.open || part.open;
    sum.occurrences += part.occurrences;
    sum.depth = std::min(sum.depth, part.depth);
    sum.first_begin_ns = std::min(sum.first_begin_ns, part.first_begin_ns);
    sum.duration_ns += part.duration_ns;
}

void add_figures(PhaseFigures& sum, const PhaseFigures& part) {
    static constexpr auto figures = std::to_array<uint64_t PhaseFigures::*>(
        {&PhaseFigures::allocations, &PhaseFigures::frees, &PhaseFigures::allocated_bytes,
         &PhaseFigures::peak_bytes, &PhaseFigures::begin_bytes, &PhaseFigures::end_bytes,
         &PhaseFigures::kept_blocks, &PhaseFigures::kept_bytes, &PhaseFigures::leaked_blocks,
         &PhaseFigures::leaked_bytes});
    for (const auto figure : figures) add_saturating(sum.*figure, part.*figure);
    sum.peak_time_ns = std::max(sum.peak_time_ns, part.peak_time_ns);
}

}  // namespace

void PhaseSums::add(const PhaseList& part) {
    has_phases_ = true;
    unpaired_ends_ += part.unpaired_ends;
    for (const PhaseInfo& info : part.phases) {
        const auto [entry, is_new] = phases_.try_emplace({info.name, info.is_mark});
        Phase& phase = entry->second;
        if (is_new) phase.info = info;
        else add_info(phase.info, info);
        for (const auto& [space, figures] : info.spaces) add_figures(phase.spaces[space], figures);
    }
}

std::optional<PhaseList> PhaseSums::finish(const std::vector<Space>& spaces) {
    if (!has_phases_) return std::nullopt;
    PhaseList list;
    list.unpaired_ends = unpaired_ends_;
    for (auto& [name, phase] : phases_) {
        PhaseInfo& info = list.phases.emplace_back(std::move(phase.info));
        info.spaces.clear();
        for (const Space& space : spaces) {
            info.spaces.emplace_back(space.name, phase.spaces[space.name]);
        }
    }
    std::sort(list.phases.begin(), list.phases.end(), [](const PhaseInfo& a, const PhaseInfo& b) {
        return std::tie(a.first_begin_ns, a.name, a.is_mark) <
               std::tie(b.first_begin_ns, b.name, b.is_mark);
    });
    return list;
}

}  // namespace memtrace::analyzer
