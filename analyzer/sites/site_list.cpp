// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_list.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/base/number_hash.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

namespace {

constexpr uint32_t deeper_depths[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

// Cuts the stacks of sites to more and more innermost frames. Stacks that are equal then have the
// same key. It is made of shown text, so calls from two places in one line are equal.
class CutStacks {
public:
    CutStacks(const Sites& sites, const StackView& view) : view_(view) {
        for (const Site& site : sites) {
            const auto backward = view.backward_of(site.stack);
            cuts_.push_back({site.stack, view.folds(site.stack), first_key, backward});
        }
    }

    // Returns the keys by site, or nothing if there are more than `keys_max` of them. `depth` is
    // larger than in the call before. Deep stacks are many, so the pass over them soon ends.
    std::optional<std::vector<uint64_t>> at(uint32_t depth, uint64_t keys_max) {
        std::vector<uint64_t> keys;
        tsl::robin_set<uint64_t, NumberHash> known;
        for (Cut& cut : cuts_) {
            const auto mix = [&](FrameId frame, uint32_t) {
                cut.key = mixed(cut.key, frame);
                return true;
            };
            cut.node = view_.walk_on(cut.node, cut.folds, mix, depth - depth_);
            keys.push_back(cut.backward ? mixed(cut.key, *cut.backward) : cut.key);
            if (known.insert(keys.back()).second && known.size() > keys_max) return std::nullopt;
        }
        depth_ = depth;
        return keys;
    }

private:
    static constexpr uint64_t first_key = 0x9e3779b97f4a7c15u;
    struct Cut {
        uint32_t node;  // at which the stack goes on
        bool folds;
        uint64_t key;
        std::optional<FrameId> backward;
    };

    static uint64_t mixed(uint64_t key, FrameId frame) {
        key = (key ^ (frame + 1)) * 0xd6e8feb86659fd93u;
        return key ^ key >> 29;
    }

    const StackView& view_;
    uint32_t depth_ = 0;
    std::vector<Cut> cuts_;  // by site
};

void add_to(ListedSite& listed, const Totals& totals) {
    Totals& sum = listed.totals;
    const uint64_t own_peak = std::max(sum.own_peak_bytes, totals.own_peak_bytes);
    add(sum, totals);
    sum.own_peak_bytes = std::max({own_peak, sum.at_peak_bytes, sum.live_bytes});
    listed.sites += 1;
}

// Returns the sites with the stacks cut to as many frames as fit, and merged.
SiteList cut_and_merge(const Sites& wanted, const StackView& view, uint64_t frames_max) {
    CutStacks stacks(wanted, view);
    SiteList list{1, {}};
    std::vector<uint64_t> keys = *stacks.at(1, UINT64_MAX);
    for (const uint32_t depth : deeper_depths) {
        auto deeper = stacks.at(depth, frames_max / depth);
        if (!deeper) break;
        list.depth = depth;
        keys = *std::move(deeper);
    }
    tsl::robin_map<uint64_t, size_t, NumberHash> places;
    for (size_t i = 0; i < wanted.size(); ++i) {
        const auto [place, is_new] = places.try_emplace(keys[i], list.sites.size());
        const Site site = wanted[i];
        if (is_new) list.sites.push_back({site.stack, 1, site.totals});
        else add_to(list.sites[place->second], site.totals);
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
    return cut_and_merge(wanted, view, frames_max);
}

}  // namespace memtrace::analyzer
