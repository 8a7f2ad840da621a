// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/walk_sums.h"

#include <vector>

#include <fmt/format.h>

namespace memtrace::analyzer {

Walks sum_of(const std::map<uint64_t, Walks>& last_of_lanes) {
    Walks sum;
    for (const auto& [lane, walks] : last_of_lanes) {
        sum.walked += walks.walked;
        sum.verified += walks.verified;
        sum.splices += walks.splices;
        sum.mismatches += walks.mismatches;
        sum.bridged += walks.bridged;
        sum.guessed += walks.guessed;
        sum.recognised += walks.recognised;
    }
    return sum;
}

PythonWalks sum_of(const std::map<uint64_t, PythonWalks>& last_of_lanes) {
    PythonWalks sum;
    for (const auto& [lane, walks] : last_of_lanes) {
        sum.stacks += walks.stacks;
        sum.empty += walks.empty;
        sum.foreign += walks.foreign;
        sum.unread += walks.unread;
        sum.frames += walks.frames;
        sum.kept += walks.kept;
    }
    return sum;
}

void count_captures(Model& model, Problems& problems) {
    const StackNodes& nodes = model.stacks.nodes;
    // The outermost node of each node's stack decides these. Parents come first.
    enum : uint8_t { is_undefined = 1, is_cut = 2 };
    std::vector<uint8_t> roots(nodes.size());
    std::vector<uint8_t> cuts(nodes.size());
    std::vector<uint8_t> gaps(nodes.size());  // 1 + the outermost PythonGap
    for (uint32_t id = 1; id < nodes.size(); ++id) {
        const Location& location = nodes.location(nodes.location_of(id));
        const uint32_t parent = nodes.parent(id);
        if (parent == no_stack) {
            roots[id] = static_cast<uint8_t>((location.defined ? 0 : is_undefined) |
                                             (location.kind == NodeKind::truncated ? is_cut : 0));
            cuts[id] = static_cast<uint8_t>(location.address);
        } else {
            roots[id] = roots[parent];
            cuts[id] = cuts[parent];
        }
        gaps[id] = parent == no_stack ? 0 : gaps[parent];
        if (gaps[id] == 0 && is_python_gap(location)) {
            gaps[id] = static_cast<uint8_t>(1 + static_cast<unsigned>(python_gap_of(location)));
        }
    }
    uint64_t undefined = 0;
    Capture& capture = model.capture;
    for (const Space& space : model.spaces) {
        if (space.is_estimate) continue;  // Its number of captures is an estimate, too.
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const uint32_t stack = space.sites.stack(i);
            if (stack == no_stack) continue;
            const uint64_t allocations = space.sites.allocations(i);
            capture.captures += allocations;
            if (gaps[stack] != 0) {
                capture.python_gaps[static_cast<PythonGap>(gaps[stack] - 1)] += allocations;
            }
            undefined += (roots[stack] & is_undefined) != 0;
            if ((roots[stack] & is_cut) == 0) continue;
            capture.captures_truncated += allocations;
            capture.cuts[static_cast<Cut>(cuts[stack])] += allocations;
        }
    }
    if (undefined > 0) {
        problems.damage("stack",
                        fmt::format("{} call sites have stacks whose definition is missing: "
                                    "they are shown as far as they are known.",
                                    undefined));
    }
}

}  // namespace memtrace::analyzer
