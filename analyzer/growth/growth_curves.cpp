// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_curves.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace memtrace::analyzer {
namespace {

// A slice counts as idle if it has less than this part of an average slice's events.
constexpr uint64_t idle_part = 20;

uint64_t allocations_at(const SiteHistory& history, size_t slice) {
    const auto behind = [](size_t a, const HeldPoint& point) { return a < point.slice; };
    const auto after = std::upper_bound(history.held.begin(), history.held.end(), slice, behind);
    return after == history.held.begin() ? 0 : (after - 1)->allocations;
}

uint64_t median_duration(const std::vector<RunSlice>& slices) {
    std::vector<uint64_t> all;
    uint64_t begin = 0;
    for (const RunSlice& slice : slices) {
        all.push_back(slice.end_ns - begin);
        begin = slice.end_ns;
    }
    if (all.empty()) return 0;
    const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return *middle;
}

}  // namespace

GrowthCurves::GrowthCurves(const Model& model, size_t before)
    : model_(model), by_steps_(!model.slices.step.empty()) {
    std::vector<RunSlice> slices = model.slices.slices;
    std::erase_if(slices, [](const RunSlice& slice) { return slice.is_after; });  // the last ones
    uint64_t events = 0;
    for (const RunSlice& slice : slices) events += slice.events;
    if (by_steps_) step_ns_ = median_duration(slices);
    double steps = 0;
    uint64_t active_ns = 0;
    size_t whole = 0;
    for (size_t i = 0; i < slices.size(); ++i) {
        steps += static_cast<double>(slices[i].steps);
        of_model_.push_back(ends_.size());
        wholes_.push_back(whole);
        if (slices[i].is_part) continue;
        whole += 1;
        const bool is_idle = slices[i].events * slices.size() * idle_part < events;
        if (!is_idle || i == 0) active_ns = slices[i].end_ns;
        const bool is_joined = is_idle || i + 1 < before;
        if (!by_steps_ && is_joined && i + 1 < slices.size()) continue;
        ends_.push_back(i);
        active_ns_.push_back(active_ns);
        seconds_.push_back(static_cast<double>(slices[i].end_ns) / 1e9);
        steps_.push_back(steps);
    }
}

HeldPoint GrowthCurves::last_of(const SiteHistory& history) const {
    const auto behind = [](size_t a, const HeldPoint& point) { return a < point.slice; };
    const auto after = std::upper_bound(history.held.begin(), history.held.end(),
                                        ends_.empty() ? 0 : ends_.back(), behind);
    return after == history.held.begin() ? HeldPoint{} : *(after - 1);
}

uint64_t GrowthCurves::end_ns(size_t slice) const {
    return model_.slices.slices[ends_[slice]].end_ns;
}

uint64_t GrowthCurves::active_end_ns(size_t until) const {
    if (until == 0) return 0;
    return by_steps_ ? end_ns(until - 1) : active_ns_[until - 1];
}

// The end of one of the model's slices. A step that was found ends when the next one begins, and
// the last one when the program does: what it did in between is mostly something else.
uint64_t GrowthCurves::done_ns(size_t of_model) const {
    const std::vector<RunSlice>& slices = model_.slices.slices;
    const uint64_t begin = of_model == 0 ? 0 : slices[of_model - 1].end_ns;
    const uint64_t end = slices[of_model].end_ns;
    return by_steps_ && model_.slices.is_found ? std::min(end, begin + 2 * step_ns_) : end;
}

uint64_t GrowthCurves::last_birth_ns(const SiteHistory& history, size_t until) const {
    uint64_t last = 0;
    for (const BornPoint& born : history.born) {
        if (born.blocks != 0 && born.slice < of_model_.size() && of_model_[born.slice] < until)
            last = std::max(last, done_ns(born.slice));
    }
    return last;
}

bool GrowthCurves::is_quiet_after(uint64_t time_ns) const {
    double before = 0, after = 0;
    uint64_t begin = 0, end = 0;
    for (const RunSlice& slice : model_.slices.slices) {
        if (slice.is_after) break;
        end = slice.end_ns;
        // A step that was found may reach far beyond its work; it began before the time.
        const bool is_before = by_steps_ ? begin + step_ns_ < time_ns : end <= time_ns;
        (is_before ? before : after) += static_cast<double>(slice.events);
        begin = end;
    }
    if (end <= time_ns) return false;
    const double rate = before / static_cast<double>(std::max<uint64_t>(time_ns, 1));
    return after / static_cast<double>(end - time_ns) * idle_part < rate;
}

uint64_t GrowthCurves::longest_pause_ns(const Curve& curve, size_t begin, size_t end) const {
    uint64_t longest = 0;
    std::optional<uint64_t> last;
    for (size_t i = begin; i < end; ++i) {
        if (curve.born_blocks[i] == 0) continue;
        const uint64_t here = done_ns(ends_[i]);
        if (last) longest = std::max(longest, here - *last);
        last = here;
    }
    return longest;
}

Curve GrowthCurves::no_changes() const {
    Curve curve;
    curve.at = by_steps_ ? steps_ : seconds_;
    for (auto* values :
         {&curve.bytes, &curve.blocks, &curve.allocations, &curve.born_bytes, &curve.born_blocks}) {
        values->resize(size());
    }
    return curve;
}

void GrowthCurves::add_changes(Curve& changes, const SiteHistory& history) const {
    const auto change = [](uint64_t from, uint64_t to) {
        return static_cast<double>(to) - static_cast<double>(from);
    };
    HeldPoint before;
    for (const HeldPoint& held : history.held) {
        if (held.slice >= of_model_.size() || of_model_[held.slice] >= size()) break;
        const size_t slice = of_model_[held.slice];
        changes.bytes[slice] += change(before.bytes, held.bytes);
        changes.blocks[slice] += change(before.blocks, held.blocks);
        changes.allocations[slice] += change(before.allocations, held.allocations);
        before = held;
    }
    for (const BornPoint& born : history.born) {
        if (born.slice >= of_model_.size() || of_model_[born.slice] >= size()) break;
        changes.born_bytes[of_model_[born.slice]] += static_cast<double>(born.bytes);
        changes.born_blocks[of_model_[born.slice]] += static_cast<double>(born.blocks);
    }
}

Curve GrowthCurves::summed(Curve changes) {
    for (Values* values : {&changes.bytes, &changes.blocks})
        std::partial_sum(values->begin(), values->end(), values->begin());
    return changes;
}

Curve GrowthCurves::of(const SiteHistory& history) const {
    Curve changes = no_changes();
    add_changes(changes, history);
    return summed(std::move(changes));
}

bool GrowthCurves::is_same_work(size_t since, size_t slice) const {
    if (by_steps_ || slice == 0 || slice >= size()) return true;
    const auto known = same_work_.find({since, slice});
    if (known != same_work_.end()) return known->second;
    std::vector<std::pair<uint64_t, uint64_t>> sites;  // allocations before and after, per site
    uint64_t all_before = 0, all_after = 0;
    for (const Space& space : model_.spaces) {
        for (const SiteHistory& history : space.histories) {
            const uint64_t from = since == 0 ? 0 : allocations_at(history, ends_[since - 1]);
            const uint64_t middle = allocations_at(history, ends_[slice - 1]);
            const uint64_t end = allocations_at(history, ends_.back());
            if (end == from) continue;
            sites.emplace_back(middle - from, end - middle);
            all_before += middle - from;
            all_after += end - middle;
        }
    }
    double alike = 0;
    for (const auto& [before, after] : sites) {
        if (all_before == 0 || all_after == 0) break;
        alike += std::min(static_cast<double>(before) / static_cast<double>(all_before),
                          static_cast<double>(after) / static_cast<double>(all_after));
    }
    return same_work_[{since, slice}] = alike >= 0.5;
}

GrowthRate rate_of(const GrowthCurves& curves, const Curve& curve, const Judgement& judgement) {
    const auto rising = [&](const Values& held, const Values& born) {
        if (judgement.verdict != Verdict::leak) return held;
        Values sum = born;
        for (size_t i = 1; i < sum.size(); ++i) sum[i] += sum[i - 1];
        return sum;
    };
    const Values bytes = rising(curve.bytes, curve.born_bytes);
    const Values blocks = rising(curve.blocks, curve.born_blocks);
    const auto slope = [&](const Values& at, const Values& values) {
        return slope_of(at, values, judgement.since, judgement.until);
    };
    GrowthRate rate;
    const Slope by_second = slope(curves.seconds(), bytes);
    rate.bytes_per_hour = by_second.value * 3600;
    rate.blocks_per_hour = slope(curves.seconds(), blocks).value * 3600;
    rate.low = by_second.low * 3600;
    rate.high = by_second.high * 3600;
    if (!curves.by_steps()) return rate;
    const Slope by_step = slope(curves.steps(), bytes);
    rate.bytes_per_step = by_step.value;
    rate.blocks_per_step = slope(curves.steps(), blocks).value;
    rate.low = by_step.low;
    rate.high = by_step.high;
    return rate;
}

}  // namespace memtrace::analyzer
