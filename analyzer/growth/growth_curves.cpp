// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_curves.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "analyzer/growth/growth_window.h"

namespace memtrace::analyzer {
namespace {

// A slice counts as idle if it has less than this part of an average slice's events, and of what
// stays.
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
    const std::vector<size_t> last_parts = put_together();
    if (by_steps_) step_ns_ = median_duration(slices_);
    const std::vector<Kind> kinds = kinds_of_slices();
    double steps = 0;
    std::vector<size_t> of_whole;
    uint64_t active_ns = 0;
    for (size_t i = 0; i < slices_.size(); ++i) {
        steps += static_cast<double>(slices_[i].steps);
        of_whole.push_back(ends_.size());
        if (kinds[i] == Kind::keeps) works_until_ns_ = slices_[i].end_ns;
        const bool works = kinds[i] == Kind::works || kinds[i] == Kind::keeps;
        if (works || i == 0) active_ns = slices_[i].end_ns;
        const bool is_joined = kinds[i] == Kind::idle || i + 1 < before;
        if (!by_steps_ && is_joined && i + 1 < slices_.size()) continue;
        if (!by_steps_ && kinds[i] == Kind::quiet) {
            if (quiet_.empty() || quiet_.back().end != ends_.size())
                quiet_.push_back({ends_.size(), ends_.size()});
            quiet_.back().end = ends_.size() + 1;
        }
        ends_.push_back(i);
        ends_of_model_.push_back(last_parts[i]);
        active_ns_.push_back(active_ns);
        seconds_.push_back(static_cast<double>(slices_[i].end_ns) / 1e9);
        steps_.push_back(steps);
    }
    for (const size_t whole : wholes_) of_model_.push_back(of_whole[whole]);
}

// Returns, for each slice, the last of its parts.
std::vector<size_t> GrowthCurves::put_together() {
    std::vector<size_t> last_parts;
    uint64_t events = 0;
    for (const RunSlice& slice : model_.slices.slices) {
        if (slice.is_after) break;  // The others are, too.
        wholes_.push_back(slices_.size());
        events += slice.events;
        if (slice.is_part) continue;
        slices_.push_back(slice);
        slices_.back().events = std::exchange(events, 0);
        last_parts.push_back(wholes_.size() - 1);
    }
    wholes_.resize(last_parts.empty() ? 0 : last_parts.back() + 1);
    return last_parts;
}

std::vector<GrowthCurves::Kind> GrowthCurves::kinds_of_slices() const {
    std::vector<uint64_t> stays(slices_.size());
    for (const Space& space : model_.spaces) {
        for (const BornPoint& born : space.history.born) {
            if (born.slice < wholes_.size()) stays[wholes_[born.slice]] += born.blocks;
        }
    }
    const uint64_t all = std::accumulate(stays.begin(), stays.end(), uint64_t{0});
    uint64_t events = 0;
    for (const RunSlice& slice : slices_) events += slice.events;
    const auto has_few = [&](size_t i) {
        return slices_[i].events * slices_.size() * idle_part < events;
    };
    std::vector<Kind> kinds(slices_.size(), Kind::works);
    for (size_t begin = 0, end = 0; begin < slices_.size(); begin = end) {
        uint64_t kept = 0;
        for (end = begin; end < slices_.size() && has_few(end); ++end) kept += stays[end];
        if (end == begin) {
            end += 1;
            continue;
        }
        const bool keeps = kept * slices_.size() * idle_part > all * (end - begin);
        const Kind kind = kept == 0 ? Kind::idle : keeps ? Kind::keeps : Kind::quiet;
        std::fill(kinds.begin() + static_cast<ptrdiff_t>(begin),
                  kinds.begin() + static_cast<ptrdiff_t>(end), kind);
    }
    return kinds;
}

std::vector<size_t> GrowthCurves::worked_in(const Curve& curve) const {
    const size_t all_slices = curve.size();
    const double all = analyzer::sum_of(curve.born_blocks, 0, all_slices);
    std::vector<size_t> ends;
    size_t next = 0;
    for (const Stretch& whole : quiet_) {
        const Stretch stretch{whole.begin, std::min(whole.end, all_slices)};
        if (stretch.begin >= stretch.end) break;
        const double kept = analyzer::sum_of(curve.born_blocks, stretch.begin, stretch.end);
        const auto length = static_cast<double>(stretch.end - stretch.begin);
        const auto slices = static_cast<double>(all_slices);
        if (kept * slices * static_cast<double>(idle_part) > all * length) continue;
        for (; next < stretch.begin; ++next) ends.push_back(next);
        next = std::min(stretch.end, all_slices - 1);  // The last slice remains.
    }
    for (; next < all_slices; ++next) ends.push_back(next);
    return ends;
}

bool GrowthCurves::keeps_in_work(const SiteHistory& history) const {
    return std::any_of(history.born.begin(), history.born.end(), [&](const BornPoint& born) {
        return born.slice < of_model_.size() && of_model_[born.slice] >= first();
    });
}

HeldPoint GrowthCurves::last_of(const SiteHistory& history) const {
    const auto behind = [](size_t a, const HeldPoint& point) { return a < point.slice; };
    const auto after = std::upper_bound(history.held.begin(), history.held.end(),
                                        ends_.empty() ? 0 : ends_of_model_.back(), behind);
    return after == history.held.begin() ? HeldPoint{} : *(after - 1);
}

uint64_t GrowthCurves::active_end_ns(size_t until) const {
    if (until == 0) return 0;
    return by_steps_ ? end_ns(until - 1) : active_ns_[until - 1];
}

// A step that was found ends when the next one begins, and the last one when the program does: what
// it did in between is mostly something else.
uint64_t GrowthCurves::done_ns(size_t whole) const {
    const uint64_t begin = whole == 0 ? 0 : slices_[whole - 1].end_ns;
    const uint64_t end = slices_[whole].end_ns;
    return by_steps_ && model_.slices.is_found ? std::min(end, begin + 2 * step_ns_) : end;
}

uint64_t GrowthCurves::last_birth_ns(const SiteHistory& history, size_t until) const {
    uint64_t last = 0;
    for (const BornPoint& born : history.born) {
        if (born.blocks != 0 && born.slice < of_model_.size() && of_model_[born.slice] < until)
            last = std::max(last, done_ns(wholes_[born.slice]));
    }
    return last;
}

bool GrowthCurves::is_quiet_after(uint64_t time_ns) const {
    double before = 0, after = 0;
    uint64_t begin = 0, end = 0;
    for (const RunSlice& slice : slices_) {
        end = slice.end_ns;
        // A step that was found may reach far beyond its work; it began before the time.
        const bool is_before = by_steps_ ? begin + step_ns_ < time_ns : end <= time_ns;
        (is_before ? before : after) += static_cast<double>(slice.events);
        begin = end;
    }
    if (end <= time_ns || time_ns < works_until_ns_) return false;
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
    curve.first = first();
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
            const uint64_t from =
                since == 0 ? 0 : allocations_at(history, ends_of_model_[since - 1]);
            const uint64_t middle = allocations_at(history, ends_of_model_[slice - 1]);
            const uint64_t end = allocations_at(history, ends_of_model_.back());
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

namespace {

// Returns the curve of fewer, longer slices, which end where these do.
Curve shortened(const Curve& curve, const std::vector<size_t>& ends) {
    Curve result;
    size_t begin = 0;
    for (const size_t end : ends) {
        result.at.push_back(curve.at[end]);
        result.bytes.push_back(curve.bytes[end]);
        result.blocks.push_back(curve.blocks[end]);
        result.allocations.push_back(sum_of(curve.allocations, begin, end + 1));
        result.born_bytes.push_back(sum_of(curve.born_bytes, begin, end + 1));
        result.born_blocks.push_back(sum_of(curve.born_blocks, begin, end + 1));
        begin = end + 1;
    }
    return result;
}

// Returns the end of the slices whose survivors are counted. The newest blocks may only be in use.
size_t end_of_counted(const Curve& curve, const Judgement& judgement) {
    double blocks = 0;
    size_t end = judgement.since;
    while (end < judgement.until && blocks < judgement.grown_blocks)
        blocks += curve.born_blocks[end++];
    return end;
}

double before(const Values& values, size_t slice) { return slice == 0 ? 0 : values[slice - 1]; }

size_t first_rise(const Values& values, size_t since, size_t until) {
    while (since < until && values[since] <= before(values, since)) ++since;
    return since;
}

bool has_risen_again(const Values& values, size_t since, size_t until) {
    since = first_rise(values, since, until);
    return since < until && values[until - 1] > values[since];
}

// Returns its rise in an hour, from the first rise to the end of its growth. What rose once has a
// rate by request only: blocks that become larger are not more of them.
double by_hour(const GrowthCurves& curves, const Values& values, size_t since, size_t until,
               bool may_be_once = true) {
    const size_t first = first_rise(values, since, until);
    if (first >= until) return 0;
    const auto rate = [&](double rise, uint64_t begin_ns) {
        const uint64_t end_ns = curves.done_ns_of(until - 1);
        if (end_ns <= begin_ns) return 0.0;
        return std::max(0.0, rise) / static_cast<double>(end_ns - begin_ns) * 3.6e12;
    };
    const double behind = rate(values[until - 1] - values[first], curves.done_ns_of(first));
    if (behind == 0 && may_be_once)
        return rate(values[until - 1] - before(values, first), curves.begin_ns(first));
    return behind;
}

Judgement judge_worked(const GrowthCurves& curves, const Curve& curve) {
    const auto is_same_work = [&](size_t since, size_t slice) {
        return curves.is_same_work(since, slice);
    };
    const std::vector<size_t> ends = curves.worked_in(curve);
    if (ends.size() == curve.size()) return judge(curve, is_same_work);
    const auto whole = [&](size_t slice) { return slice == 0 ? 0 : ends[slice - 1] + 1; };
    Judgement judgement = judge(shortened(curve, ends), [&](size_t since, size_t slice) {
        return is_same_work(whole(since), whole(slice));
    });
    judgement.since = whole(judgement.since);
    judgement.until = whole(judgement.until);
    return judgement;
}

// A busy end has many slices, and may have taken a moment only. Growth up to there is not known to
// be over then, nor to go on.
std::optional<Judgement> judge_before_end(const GrowthCurves& curves, const Curve& curve) {
    constexpr uint64_t moment_part = 10;  // of the time before it
    const size_t end = end_of_births(curve);
    if (curves.by_steps() || end == 0 || end == curve.size()) return {};
    const uint64_t until_ns = curves.end_ns(end - 1);
    if ((curves.end_ns(curve.size() - 1) - until_ns) * moment_part > until_ns) return {};
    std::vector<size_t> ends(end);
    std::iota(ends.begin(), ends.end(), size_t{0});
    Judgement judgement = judge_worked(curves, shortened(curve, ends));
    if (judgement.verdict != Verdict::leak) return {};
    judgement.verdict = Verdict::growing;
    judgement.confidence = std::min(judgement.confidence, 0.5);
    judgement.why += "; but the program ended with something else, so it may have been over";
    return judgement;
}

}  // namespace

Judgement judge(const GrowthCurves& curves, const Curve& curve) {
    Judgement judgement = judge_worked(curves, curve);
    if (judgement.verdict != Verdict::loaded) return judgement;
    return judge_before_end(curves, curve).value_or(std::move(judgement));
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
    const size_t since = judgement.since, until = judgement.until;
    const bool is_leak = judgement.verdict == Verdict::leak;
    const size_t counted = is_leak ? end_of_counted(curve, judgement) : until;
    GrowthRate rate;
    rate.bytes_per_hour = by_hour(curves, bytes, since, counted);
    rate.blocks_per_hour =
        by_hour(curves, blocks, since, counted, !has_risen_again(bytes, since, counted));
    if (curves.by_steps()) {
        const Slope by_step = slope_of(curves.steps(), bytes, since, counted);
        rate.bytes_per_step = by_step.value;
        rate.blocks_per_step = slope_of(curves.steps(), blocks, since, counted).value;
        rate.low = by_step.low;
        rate.high = by_step.high;
        return rate;
    }
    Values seconds, worked;
    for (const size_t slice : curves.worked_in(curve)) {
        if (slice < since || slice >= counted) continue;
        seconds.push_back(curves.seconds()[slice]);
        worked.push_back(bytes[slice]);
    }
    const Slope by_second = slope_of(seconds, worked, 0, seconds.size());
    // The slopes are those of the usual course, and a pause or a burst is in the whole.
    rate.low = std::min(by_second.low * 3600, rate.bytes_per_hour);
    rate.high = std::max(by_second.high * 3600, rate.bytes_per_hour);
    return rate;
}

}  // namespace memtrace::analyzer
