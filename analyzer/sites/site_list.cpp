// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_list.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/base/number_hash.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

namespace {

constexpr uint32_t depths[] = {64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1};

// Returns the key of a stack. Stacks with the same innermost frames have the same key. It is made
// of shown text, so calls from two places in one line are equal.
uint64_t key_of(const StackView& view, uint32_t stack, uint32_t depth) {
    uint64_t key = 0x9e3779b97f4a7c15u;
    const auto mix = [&](FrameId frame, uint32_t) {
        key = (key ^ (frame + 1)) * 0xd6e8feb86659fd93u;
        key ^= key >> 29;
        return true;
    };
    view.walk(stack, mix, depth);
    if (const auto backward = view.symbols().backward_of(stack)) mix(*backward, 0);
    return key;
}

void add_to(ListedSite& listed, const Totals& totals) {
    Totals& sum = listed.totals;
    const uint64_t own_peak = std::max(sum.own_peak_bytes, totals.own_peak_bytes);
    add(sum, totals);
    sum.own_peak_bytes = std::max({own_peak, sum.at_peak_bytes, sum.live_bytes});
    listed.sites += 1;
}

// Returns the stacks cut to `depth` frames, or nothing if they have more than `frames_max` frames
// together. Deep stacks are many, so the pass over them soon ends.
std::optional<SiteList> merge(const Sites& wanted, const StackView& view, uint32_t depth,
                              uint64_t frames_max) {
    SiteList list{depth, {}};
    tsl::robin_map<uint64_t, size_t, NumberHash> places;
    for (const Site& site : wanted) {
        const auto [place, is_new] =
            places.try_emplace(key_of(view, site.stack, depth), list.sites.size());
        if (is_new) list.sites.push_back({site.stack, 1, site.totals});
        else add_to(list.sites[place->second], site.totals);
        if (list.sites.size() * depth > frames_max && depth > 1) return std::nullopt;
    }
    return list;
}

bool whole_stacks_fit(const Sites& wanted, const StackView& view, uint64_t limit) {
    uint64_t frames = 0;
    uint32_t last = no_stack;
    for (const Site& site : wanted) {
        view.walk(site.stack, [&](FrameId, uint32_t node) {
            frames += std::exchange(last, node) != node;
            return frames <= limit;
        });
        if (frames > limit) return false;
        last = no_stack;
    }
    return true;
}

}  // namespace

SiteList list_sites(const Sites& wanted, const StackView& view, uint64_t frames_max) {
    if (whole_stacks_fit(wanted, view, frames_max)) {
        SiteList list;
        list.sites.reserve(wanted.size());
        for (const Site& site : wanted) list.sites.push_back({site.stack, 1, site.totals});
        return list;
    }
    for (const uint32_t depth : depths) {
        if (auto list = merge(wanted, view, depth, frames_max)) return *std::move(list);
    }
    return {};
}

}  // namespace memtrace::analyzer
