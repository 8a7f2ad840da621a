// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_merge.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/saturating.h"
#include "analyzer/base/terminal.h"
#include "analyzer/model/measure.h"
#include "analyzer/profile/merge_gpu.h"
#include "analyzer/profile/merge_heads.h"
#include "analyzer/profile/merge_histories.h"
#include "analyzer/profile/merge_phases.h"
#include "analyzer/profile/merge_stacks.h"

namespace memtrace::analyzer {
namespace {

// Spaces in the order of replay: those of the host first.
size_t order_of(const std::string& space) {
    static constexpr auto first = std::to_array<std::string_view>({"host", "mmap", "python"});
    return static_cast<size_t>(std::find(first.begin(), first.end(), space) - first.begin());
}

struct SpaceSum {
    Totals totals;
    bool is_estimate = false;
    uint64_t sample_interval = 0;  // the longest
    uint64_t sampled = 0;
    uint64_t unsure_blocks = 0, unsure_bytes = 0, unsure_at_peak_bytes = 0;
    uint64_t captures = 0;  // of the parts in which the space is exact
    std::map<std::string, Totals> classes;
    SiteHistory history;
    std::unordered_map<uint32_t, uint32_t> site_of_node;
    std::vector<uint32_t> nodes;  // by site
    std::vector<Totals> sites;
    std::vector<SiteHistory> histories;
};

struct SpaceBefore {
    bool operator()(const std::string& a, const std::string& b) const {
        return std::tuple(order_of(a), a) < std::tuple(order_of(b), b);
    }
};

}  // namespace

class ProfileMerge::Sums {
public:
    void add(const Recording& part) {
        const std::vector<uint32_t> nodes = stacks_.add(part);
        take_slices(part);
        std::map<std::string, std::vector<uint32_t>> sites;
        for (const Space& space : part.model.spaces) sites[space.name] = add_space(space, nodes);
        if (part.model.phases) phases_.add(*part.model.phases);
        gpu_.add(
            part, [&](const std::string& space, uint32_t site) { return at(sites[space], site); },
            [&](uint32_t node) { return at(nodes, node); });
        heads_.add(part);
        is_first_ = false;
    }

    Recording finish() {
        Recording sum;
        const std::vector<uint32_t> nodes = stacks_.finish(sum);
        std::map<std::string, std::vector<uint32_t>> sites;
        for (auto& [name, space] : spaces_) {
            sites[name] = finish_space(sum.model.spaces.emplace_back(), name, space, nodes);
        }
        sum.model.phases = phases_.finish(sum.model.spaces);
        sum.merged.left_out.histories = left_out_histories_;
        if (!left_out_histories_) sum.model.slices = std::move(slices_);
        gpu_.finish(
            sum, [&](const std::string& space, uint32_t site) { return at(sites[space], site); },
            [&](uint32_t node) { return at(nodes, node); });
        heads_.finish(sum);
        forget_captures_of_estimates(sum.model);
        return sum;
    }

private:
    static uint32_t at(const std::vector<uint32_t>& numbers, uint32_t number) {
        return number < numbers.size() ? numbers[number] : 0;
    }

    // All other sums of a space are no greater than these.
    static void require_fit(bool fits, const std::string& space) {
        if (fits) return;
        throw Error(
            fmt::format("these recordings cannot be merged: what they allocated in {} adds up to "
                        "more than fits into 64 bits",
                        printable(space)));
    }

    // Decides whether histories can be summed, before those of the part are added.
    void take_slices(const Recording& part) {
        const RunSlices& slices = part.model.slices;
        left_out_histories_ = left_out_histories_ || part.merged.left_out.histories ||
                              !are_alike(is_first_ ? slices : slices_, slices);
        if (left_out_histories_) return;
        if (is_first_) leave_out_rest(slices_ = slices);
        else analyzer::add(slices_, slices);
    }

    // Returns the number in the sum of each site.
    std::vector<uint32_t> add_space(const Space& space, const std::vector<uint32_t>& nodes) {
        SpaceSum& sum = spaces_[space.name];
        require_fit(analyzer::add(sum.totals, space.totals), space.name);
        sum.is_estimate = sum.is_estimate || space.is_estimate;
        sum.sample_interval = std::max(sum.sample_interval, space.sample_interval);
        sum.sampled = saturating_sum({sum.sampled, space.sampled});
        sum.unsure_blocks = saturating_sum({sum.unsure_blocks, space.unsure_blocks});
        sum.unsure_bytes = saturating_sum({sum.unsure_bytes, space.unsure_bytes});
        sum.unsure_at_peak_bytes =
            saturating_sum({sum.unsure_at_peak_bytes, space.unsure_at_peak_bytes});
        for (const auto& [name, totals] : space.classes) {
            analyzer::add(sum.classes[name], totals);
        }
        if (!left_out_histories_) analyzer::add(sum.history, space.history, slices_.slices.size());
        std::vector<uint32_t> numbers;
        numbers.reserve(space.sites.size());
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const Site& site = space.sites[i];
            const bool is_capture = !space.is_estimate && site.stack != no_stack;
            if (is_capture) sum.captures += site.totals.allocations;
            const auto next = static_cast<uint32_t>(sum.sites.size());
            const uint32_t node = at(nodes, site.stack);
            const auto [entry, is_new] = sum.site_of_node.try_emplace(node, next);
            if (is_new) {
                sum.nodes.push_back(node);
                sum.sites.emplace_back();
                sum.histories.emplace_back();
            }
            numbers.push_back(entry->second);
            require_fit(analyzer::add(sum.sites[entry->second], site.totals), space.name);
            const bool has_history = !left_out_histories_ && i < space.histories.size();
            if (!has_history) continue;
            analyzer::add(sum.histories[entry->second], space.histories[i], slices_.slices.size());
        }
        return numbers;
    }

    // The call stacks of a space that is a sample are not counted, also if it is one in some parts
    // only: its calls are estimates, and nobody can say how many of them have complete stacks.
    void forget_captures_of_estimates(Model& model) const {
        uint64_t& captures = model.capture.captures;
        for (const auto& [name, space] : spaces_) {
            if (space.is_estimate) captures -= std::min(captures, space.captures);
        }
    }

    // Returns for each site of the sum its number in the finished space.
    std::vector<uint32_t> finish_space(Space& space, const std::string& name, SpaceSum& sum,
                                       const std::vector<uint32_t>& nodes) const {
        space.name = name;
        space.totals = sum.totals;
        space.is_estimate = sum.is_estimate;
        space.sample_interval = sum.sample_interval;
        space.sampled = sum.sampled;
        space.unsure_blocks = sum.unsure_blocks;
        space.unsure_bytes = sum.unsure_bytes;
        space.unsure_at_peak_bytes = sum.unsure_at_peak_bytes;
        space.classes = std::move(sum.classes);
        const bool has_histories = !left_out_histories_ && !slices_.slices.empty();
        if (has_histories) space.history = std::move(sum.history);
        std::vector<std::pair<uint32_t, uint32_t>> order;  // node of the result, site
        for (uint32_t site = 0; site < sum.nodes.size(); ++site) {
            order.emplace_back(nodes[sum.nodes[site]], site);
        }
        std::sort(order.begin(), order.end());
        std::vector<uint32_t> numbers(order.size());
        for (const auto& [node, site] : order) {
            numbers[site] = static_cast<uint32_t>(space.sites.size());
            Site finished;
            finished.stack = node;
            finished.totals = sum.sites[site];
            space.sites.push_back(finished);
            if (has_histories) space.histories.push_back(std::move(sum.histories[site]));
        }
        return numbers;
    }

    bool is_first_ = true;
    bool left_out_histories_ = false;
    RunSlices slices_;
    StackSums stacks_;
    std::map<std::string, SpaceSum, SpaceBefore> spaces_;
    PhaseSums phases_;
    GpuSums gpu_;
    HeadSums heads_;
};

ProfileMerge::ProfileMerge() = default;
ProfileMerge::~ProfileMerge() = default;

void ProfileMerge::add(const Recording& part) {
    if (!first_ && !sums_) {
        first_ = std::make_unique<Recording>(part);
        return;
    }
    if (!sums_) {
        sums_ = std::make_unique<Sums>();
        sums_->add(*first_);
        first_.reset();
    }
    sums_->add(part);
}

Recording ProfileMerge::finish() { return sums_ ? sums_->finish() : std::move(*first_); }

Recording merge(std::span<const Recording> parts) {
    ProfileMerge sum;
    for (const Recording& part : parts) sum.add(part);
    return sum.finish();
}

}  // namespace memtrace::analyzer
