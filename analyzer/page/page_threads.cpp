// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_threads.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/base/number_hash.h"
#include "analyzer/model/measure.h"
#include "analyzer/model/run_watch.h"
#include "analyzer/page/page_course.h"
#include "analyzer/page/page_share.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t named_max = 24;

constexpr uint32_t none = PageSiteNumbers::none;

// Returns by thread the largest share that it has of any figure of any space.
std::vector<float> shares_of(const Recording& recording, const PageStacks& stacks) {
    std::vector<float> shares(recording.model.threads.size());
    for (size_t index = 0; index < recording.model.spaces.size(); ++index) {
        const Space& space = recording.model.spaces[index];
        const SpaceWatch* const watch = watch_of(recording.model, space);
        if (watch == nullptr) continue;
        const PageSiteNumbers sites(space, stacks.spaces[index]);
        constexpr std::array measures = {Measure::at_peak, Measure::held, Measure::leaked,
                                         Measure::allocated, Measure::allocations};
        using Sums = std::array<double, measures.size()>;
        std::vector<Sums> sums(shares.size());
        Sums whole{};
        watch->shares.for_each([&](const ThreadShare& share) {
            if (sites.site_of(share.site) == none) return;
            for (size_t i = 0; i < measures.size(); ++i) {
                const auto value = static_cast<double>(value_of(share.totals, measures[i]));
                sums[share.thread][i] += value;
                whole[i] += value;
            }
        });
        for (size_t thread = 0; thread < sums.size(); ++thread) {
            for (size_t i = 0; i < measures.size(); ++i) {
                if (whole[i] == 0) continue;
                const auto share = static_cast<float>(sums[thread][i] / whole[i]);
                shares[thread] = std::max(shares[thread], share);
            }
        }
    }
    return shares;
}

// Chooses the threads that have a name. Returns for each thread its index into the names.
std::vector<uint32_t> name_threads(const Recording& recording, const PageStacks& stacks,
                                   PageThreads& page) {
    const std::vector<ThreadInfo>& threads = recording.model.threads;
    const std::vector<float> shares = shares_of(recording, stacks);
    std::vector<bool> named = largest_shares(shares, named_max);
    std::vector<uint32_t> order;
    uint64_t others = 0;
    for (uint32_t i = 0; i < threads.size(); ++i) {
        if (shares[i] == 0) named[i] = false;
        else if (named[i]) order.push_back(i);
        else others += 1;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return shares[a] > shares[b]; });
    std::vector<uint32_t> names(threads.size(), static_cast<uint32_t>(order.size()));
    for (const uint32_t i : order) {
        names[i] = static_cast<uint32_t>(page.names.size());
        page.names.push_back({threads[i].tid, threads[i].name, 1});
    }
    if (others != 0) page.names.push_back({0, "", others});
    return names;
}

PageThreadSpace space_of(const Space& space, const SpaceWatch& watch, const PageSpace& page,
                         const std::vector<uint32_t>& names) {
    const PageSiteNumbers sites(space, page);
    std::vector<PageThreadShare> sums;
    tsl::robin_map<uint64_t, size_t, NumberHash> known;  // by site and thread
    watch.shares.for_each([&](const ThreadShare& share) {
        const uint32_t site = sites.site_of(share.site), thread = names[share.thread];
        if (site == none) return;
        const auto [sum, is_new] = known.try_emplace(uint64_t{site} << 32 | thread, sums.size());
        if (is_new) sums.push_back({site, thread, {}});
        add(sums[sum->second].totals, share.totals);
    });
    std::sort(sums.begin(), sums.end(), [](const PageThreadShare& a, const PageThreadShare& b) {
        return std::pair(a.site, a.thread) < std::pair(b.site, b.thread);
    });
    PageThreadSpace made;
    made.of_sites.assign(page.sites.size(), -1);
    for (size_t i = 0, end = 0; i < sums.size(); i = end) {
        while (end < sums.size() && sums[end].site == sums[i].site) ++end;
        if (end == i + 1) made.of_sites[sums[i].site] = sums[i].thread;
        else made.shares.insert(made.shares.end(), &sums[i], &sums[i] + (end - i));
    }
    return made;
}

}  // namespace

PageThreads make_page_threads(const Recording& recording, const PageStacks& stacks) {
    PageThreads page;
    if (recording.model.watch == nullptr) return page;
    const std::vector<uint32_t> names = name_threads(recording, stacks, page);
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        const Space& space = recording.model.spaces[i];
        const SpaceWatch* const watch = watch_of(recording.model, space);
        static const SpaceWatch nothing;
        page.spaces.push_back(
            space_of(space, watch != nullptr ? *watch : nothing, stacks.spaces[i], names));
    }
    return page;
}

}  // namespace memtrace::analyzer
