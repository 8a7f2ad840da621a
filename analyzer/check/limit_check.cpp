// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/limit_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/base/error.h"
#include "analyzer/base/saturating.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/check/estimated_spaces.h"
#include "analyzer/model/selection.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t blamed_max = 10;  // sites listed for one limit; more would not help

const std::vector<MeasuredSite> no_sites;

const std::vector<MeasuredSite>& sites_of(const MeasuredSpace* space) {
    return space == nullptr ? no_sites : space->sites;
}

uint64_t blocks_in(const Figures& figures, Metric metric) {
    const std::optional<Metric> blocks = blocks_of(metric);
    return blocks ? figure(figures, *blocks) : 0;
}

// Returns how much the site has above the highest value of the baseline.
uint64_t growth_of(const Blame& blame) {
    const uint64_t before = blame.before ? blame.before->max : 0;
    return blame.now - std::min(blame.now, before);
}

class Checker {
public:
    Checker(const Measurements& measured, const Baseline* baseline, const Limit& limit)
        : limit_(limit),
          space_(find_space(measured, limit.space)),
          baseline_(baseline),
          before_(baseline == nullptr ? nullptr : find_space(*baseline, limit.space)) {
        refuse_what_cannot_be_compared();
    }

    LimitResult run() {
        result_.limit = limit_;
        result_.is_estimate = space_ != nullptr && space_->is_estimate;
        if (limit_.scope == Scope::space) check_space();
        else check_sites();
        sort_blamed();
        return std::move(result_);
    }

private:
    void refuse_what_cannot_be_compared() const {
        const std::string title = title_of(limit_);
        const bool needs_baseline = limit_.is_relative || limit_.scope == Scope::new_site;
        if (!needs_baseline) return;
        if (baseline_ == nullptr) {
            throw Error(
                fmt::format("the limit on {} needs something to compare with; name a "
                            "baseline (--baseline FILE)",
                            title));
        }
        if (before_ == nullptr && is_always_recorded(limit_.space)) return;
        if (before_ == nullptr || !has_metric(*before_, limit_.metric)) {
            throw Error(
                fmt::format("the baseline {} does not have {}, write it again with "
                            "--update-baseline",
                            printable(baseline_->path), title));
        }
        if (limit_.scope != Scope::new_site || limit_.value >= floor()) return;
        throw Error(
            fmt::format("the limit on {} is {}, and the baseline {} lists only what has {} "
                        "or more; write it again with --update-baseline and this limit",
                        title, short_text(limit_.metric, limit_.value), printable(baseline_->path),
                        short_text(limit_.metric, floor())));
    }

    // True if the baseline has the metric. An older baseline does not have all metrics.
    bool knows() const {
        return baseline_ != nullptr && (before_ == nullptr || has_metric(*before_, limit_.metric));
    }

    uint64_t error_of(uint64_t figure) const {
        return space_ == nullptr ? 0 : estimate_error(limit_.metric, figure, space_->interval);
    }

    uint64_t floor() const { return figure(before_->floors, limit_.metric); }

    const BaselineSite* known_site(const MeasuredSite& site) const {
        return before_ == nullptr ? nullptr : find_site(*before_, site.key);
    }

    // True if the figure exceeds the limit. Where no byte is allowed, no block is allowed either,
    // beyond those that the baseline has. `bands` may be null.
    bool exceeds(const Figures& figures, uint64_t allowed, const Bands* bands) const {
        const uint64_t now = figure(figures, limit_.metric);
        if (now > saturating_sum({allowed, error_of(now)})) return true;
        const std::optional<Metric> blocks = blocks_of(limit_.metric);
        if (allowed != 0 || !blocks) return false;
        const bool compares = limit_.is_relative && bands != nullptr;
        return figure(figures, *blocks) > (compares ? band(*bands, *blocks).max : 0);
    }

    Blame blame(const MeasuredSite& site) const {
        Blame blame{site.key,
                    site.places.of(limit_.metric),
                    figure(site.figures, limit_.metric),
                    blocks_in(site.figures, limit_.metric),
                    {},
                    {}};
        if (!knows()) return blame;
        const BaselineSite* known = known_site(site);
        if (known != nullptr) blame.before = band(known->bands, limit_.metric);
        else blame.below = before_ == nullptr ? 0 : floor();
        return blame;
    }

    bool has_new_blocks(const MeasuredSite& site) const {
        const BaselineSite* known = limit_.is_relative ? known_site(site) : nullptr;
        return exceeds(site.figures, 0, known == nullptr ? nullptr : &known->bands);
    }

    void check_space() {
        const Figures figures = space_ == nullptr ? Figures{} : space_->figures;
        result_.measured = figure(figures, limit_.metric);
        result_.blocks = blocks_in(figures, limit_.metric);
        if (knows()) {
            result_.before = before_ == nullptr ? Band{} : band(before_->bands, limit_.metric);
        }
        result_.allowed = allowed_by(limit_, result_.before ? result_.before->max : 0);
        result_.error = error_of(result_.measured);
        result_.passed =
            !exceeds(figures, result_.allowed, before_ == nullptr ? nullptr : &before_->bands);
        if (result_.passed) return;
        const bool is_by_blocks = result_.measured <= result_.allowed;
        std::vector<Blame> small;  // unlisted sites below the floor; a baseline never lists them
        for (const MeasuredSite& site : sites_of(space_)) {
            Blame found = blame(site);
            if (growth_of(found) == 0 && !(is_by_blocks && has_new_blocks(site))) continue;
            const bool is_small = found.below && found.now < *found.below;
            (is_small ? small : result_.blamed).push_back(std::move(found));
        }
        if (result_.blamed.empty()) result_.blamed = std::move(small);
    }

    void check_sites() {
        result_.allowed = limit_.value;
        for (const MeasuredSite& site : sites_of(space_)) {
            Blame found = blame(site);
            const bool listed = found.before.has_value();
            if (limit_.scope == Scope::new_site && listed) continue;
            // The limit on new sites covers the sites that the baseline does not list.
            if (limit_.is_relative && !listed) continue;
            const uint64_t allowed = allowed_by(limit_, listed ? found.before->max : 0);
            result_.measured = std::max(result_.measured, found.now);
            const Bands* bands = listed ? &known_site(site)->bands : nullptr;
            if (exceeds(site.figures, allowed, bands)) result_.blamed.push_back(std::move(found));
        }
        result_.error = error_of(result_.measured);
        result_.passed = result_.blamed.empty();
    }

    void sort_blamed() {
        std::vector<Blame>& blamed = result_.blamed;
        std::sort(blamed.begin(), blamed.end(), [](const Blame& a, const Blame& b) {
            const uint64_t left = growth_of(a), right = growth_of(b);
            if (left != right) return left > right;
            return a.blocks != b.blocks ? a.blocks > b.blocks : a.site < b.site;
        });
        if (blamed.size() <= blamed_max) return;
        result_.blamed_more = blamed.size() - blamed_max;
        blamed.resize(blamed_max);
    }

    const Limit& limit_;
    const MeasuredSpace* space_;
    const Baseline* baseline_;
    const BaselineSpace* before_;
    LimitResult result_;
};

// The default limits tolerate a little noise: one more arena of Python, or a cache that is filled
// in the order of a hash.
Limit default_limit(Metric metric, Scope scope, const std::string& space) {
    const bool is_coarse = space != "host";
    Limit limit;
    limit.metric = metric;
    limit.space = space;
    limit.scope = scope;
    limit.value = is_coarse ? uint64_t{2} << 20 : uint64_t{64} << 10;
    limit.is_relative = scope != Scope::new_site;
    limit.percent = limit.is_relative ? 10'00 : 0;
    limit.is_default = true;
    return limit;
}

// True if the bytes held when the work ended differ from the leaked bytes. Most programs release
// nothing when they exit. For them both figures are the same, and a second limit would only repeat
// the first.
bool is_held_special(const MeasuredSpace* now, const BaselineSpace* before) {
    if (now != nullptr &&
        figure(now->figures, Metric::held_bytes) != figure(now->figures, Metric::leaked_bytes)) {
        return true;
    }
    return before != nullptr && has_metric(*before, Metric::held_bytes) &&
           band(before->bands, Metric::held_bytes) != band(before->bands, Metric::leaked_bytes);
}

// A misspelt name of a thread is refused, one of a function, file or module is not.
bool is_by_frames(SiteFilters filters) {
    filters.threads.clear();
    return !filters.empty();
}

}  // namespace

uint64_t estimate_error(Metric metric, uint64_t figure, uint64_t interval) {
    // No object of Python is smaller: a place in an arena has at least eight bytes.
    constexpr double least_bytes = 8;
    const Unit unit = row_of(metric).unit;
    if (interval == 0 || (unit != Unit::bytes && unit != Unit::count)) return 0;
    double variance = static_cast<double>(figure) * static_cast<double>(interval);
    if (unit == Unit::count) variance /= least_bytes;
    return saturating_whole(std::ceil(3 * std::sqrt(variance)));
}

bool has_passed(const CheckResult& result) {
    return std::all_of(result.limits.begin(), result.limits.end(),
                       [](const LimitResult& limit) { return limit.passed; });
}

std::vector<Limit> default_limits(const Measurements& measured, const Baseline& baseline) {
    std::set<std::string> names;
    for (const BaselineSpace& space : baseline.spaces) names.insert(space.name);
    for (const MeasuredSpace& space : measured.spaces) names.insert(space.name);
    std::vector<Limit> limits;
    for (const std::string& name : names) {
        const MeasuredSpace* space = find_space(measured, name);
        if (find_space(baseline, name) == nullptr && !is_always_recorded(name)) continue;
        limits.push_back(default_limit(Metric::peak_bytes, Scope::space, name));
        limits.push_back(default_limit(Metric::leaked_bytes, Scope::space, name));
        limits.push_back(default_limit(Metric::leaked_bytes, Scope::new_site, name));
        const BaselineSpace* before = find_space(baseline, name);
        const bool is_too_old = before != nullptr && !has_metric(*before, Metric::held_bytes);
        if (is_too_old || !is_held_special(space, before)) continue;
        limits.push_back(default_limit(Metric::held_bytes, Scope::space, name));
    }
    return limits;
}

std::vector<std::string> not_compared(const Measurements& measured, const Baseline& baseline) {
    std::string spaces;
    for (const BaselineSpace& before : baseline.spaces) {
        if (has_metric(before, Metric::held_bytes)) continue;
        const MeasuredSpace* now = find_space(measured, before.name);
        if (is_held_special(now, &before)) spaces += (spaces.empty() ? "" : ", ") + before.name;
    }
    std::vector<std::string> found;
    if (!spaces.empty()) {
        found.push_back(
            fmt::format("What was held when the work ended is not compared in {}: the baseline {} "
                        "does not have it yet; --update-baseline adds it.",
                        spaces, baseline.path));
    }
    for (const MeasuredSpace& space : measured.spaces) {
        const bool is_known =
            is_always_recorded(space.name) || find_space(baseline, space.name) != nullptr;
        if (space.is_estimate || is_known) continue;
        found.push_back(fmt::format(
            "The space {} is not compared: the baseline {} is of recordings that did not have "
            "all of it; --update-baseline adds it.",
            space.name, baseline.path));
    }
    return found;
}

std::vector<Limit> merge_limits(std::vector<Limit> stronger, const std::vector<Limit>& weaker) {
    const size_t given = stronger.size();
    for (const Limit& limit : weaker) {
        const auto end = stronger.begin() + static_cast<ptrdiff_t>(given);
        const bool is_replaced = std::any_of(stronger.begin(), end, [&](const Limit& other) {
            return is_about_the_same(limit, other);
        });
        if (!is_replaced) stronger.push_back(limit);
    }
    return stronger;
}

std::vector<LimitResult> check_limits(const Measurements& measured, const Baseline* baseline,
                                      const std::vector<Limit>& limits) {
    std::vector<LimitResult> results;
    for (const Limit& limit : limits) {
        if (limit.is_off) continue;
        // A baseline describes whole recordings, and only metrics that can be compared.
        const bool alone = !limit.phase.empty() || is_rate(row_of(limit.metric));
        results.push_back(Checker(measured, alone ? nullptr : baseline, limit).run());
    }
    return results;
}

std::vector<std::string> find_obstacles(const Recording& recording, const Measurements& measured,
                                        const Baseline* baseline) {
    std::vector<std::string> found;
    if (is_incomplete(recording.model)) {
        found.emplace_back("The dump is damaged or incomplete: no check passes on it.");
    }
    const std::string nothing = nothing_passes_text(recording.model);
    if (!nothing.empty() && is_by_frames(recording.model.filters->filters)) {
        found.push_back("Nothing was judged: " + printable(nothing) + ".");
    }
    if (baseline == nullptr) return found;
    if (baseline->program != measured.program) {
        found.push_back(fmt::format("The baseline is of another program: of {}, and this is {}.",
                                    printable(baseline->program), printable(measured.program)));
    }
    if (baseline->selection != measured.selection) {
        const auto text = [](const std::string& selection) {
            return selection.empty() ? std::string("of whole recordings") : printable(selection);
        };
        found.push_back(fmt::format("The baseline is {}, and this check is {}: ask for the same.",
                                    text(baseline->selection), text(measured.selection)));
    }
    if (baseline->python == "on" && measured.python != "on") {
        found.push_back(
            fmt::format("The baseline has functions of Python and this recording has "
                        "none ({}): their call sites cannot be compared.",
                        printable(python_state_text(recording.model))));
    }
    if (baseline->gpu != "none" && measured.gpu == "none") {
        found.push_back(
            fmt::format("The baseline has memory of GPUs, recorded by {}, and this "
                        "recording has none: nothing is known of it.",
                        printable(baseline->gpu)));
    }
    return found;
}

namespace {

// Returns by how much the figure of a space may be too high; nothing if it is sure.
std::optional<uint64_t> doubt_of(const MeasuredSpace& space, Metric metric) {
    switch (metric) {
        case Metric::peak_bytes:
            if (space.unsure_at_peak_bytes == 0) return std::nullopt;
            return space.unsure_at_peak_bytes;
        case Metric::leaked_bytes:
        case Metric::held_bytes:
            if (space.unsure_blocks == 0) return std::nullopt;
            return space.unsure_bytes;
        case Metric::leaked_blocks:
        case Metric::held_blocks:
            if (space.unsure_blocks == 0) return std::nullopt;
            return space.unsure_blocks;
        default: return std::nullopt;
    }
}

}  // namespace

std::vector<std::string> find_doubts(const Measurements& measured,
                                     const std::vector<LimitResult>& results) {
    std::vector<std::string> found;
    for (const LimitResult& result : results) {
        const MeasuredSpace* const space = find_space(measured, result.limit.space);
        if (result.passed || space == nullptr || !result.limit.phase.empty()) continue;
        const std::optional<uint64_t> doubt = doubt_of(*space, result.limit.metric);
        if (!doubt) continue;
        const bool is_broken = result.limit.scope == Scope::space &&
                               result.measured - std::min(result.measured, *doubt) > result.allowed;
        if (is_broken) continue;
        found.push_back(fmt::format(
            "Whether {} is within its limit is not sure: {} of it may be too much, from "
            "before a time that was not recorded.",
            title_of(result.limit), short_text(result.limit.metric, *doubt)));
    }
    return found;
}

Figures floors_for(const std::vector<Limit>& limits) {
    Figures floors = default_floors();
    for (const Limit& limit : limits) {
        if (limit.scope == Scope::space || limit.is_off || limit.is_relative) continue;
        uint64_t& floor = floors[static_cast<size_t>(limit.metric)];
        floor = std::min(floor, limit.value);
    }
    return floors;
}

}  // namespace memtrace::analyzer
