// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/growth/growth_curves.h"
#include "analyzer/growth/growth_groups.h"
#include "analyzer/growth/growth_lines.h"
#include "analyzer/growth/growth_reason.h"
#include "analyzer/growth/growth_replaced.h"
#include "analyzer/growth/growth_siblings.h"
#include "analyzer/growth/work_begin.h"
#include "analyzer/sites/recording_times.h"

namespace memtrace::analyzer {
namespace {

// Findings that are not leaks are listed from 1/100 of their space on.
constexpr uint64_t listed_part = 100;
constexpr uint64_t growing_min = 4096;
constexpr uint64_t little_rise = 1024;  // bytes of a whole space

uint64_t whole(double value) { return value <= 0 ? 0 : static_cast<uint64_t>(std::llround(value)); }

class SpaceJudge {
public:
    SpaceJudge(const Recording& recording, const Space& space, const GrowthCurves& curves,
               const StackView& view, const GrowthLines& facts)
        : recording_(recording),
          space_(space),
          curves_(curves),
          lines_(view, facts),
          run_(facts_of_run(recording.model)) {
        run_.does_known_steps = facts.does_known_steps;
    }

    void run(Growth& growth) {
        for (uint32_t site = 0; site < space_.histories.size(); ++site) judge_site(site);
        const auto place = [this](uint32_t site) {
            return lines_.place_of(space_.sites[site].stack);
        };
        const GrowthPlaces places{paths_, lines_.own(), place};
        std::vector<GrowthFinding> groups;
        for (GrowingGroup& group :
             group_growth(space_, recording_.symbols, curves_, places, std::move(growing_))) {
            GrowthFinding finding = finding_of(group.sites, group.path, group.judgement);
            if (finding.verdict != Verdict::steady) groups.push_back(std::move(finding));
        }
        add_groups(std::move(groups));
        const SiblingPlaces beside{space_, recording_.symbols, curves_, lines_};
        const auto make = [this](const std::vector<uint32_t>& sites, std::vector<FrameId> path,
                                 const Judgement& judgement) {
            return finding_of(sites, std::move(path), judgement);
        };
        judge_siblings(findings_, beside, make);
        judge_turns(findings_, beside, make);
        judge_replaced(findings_, beside);
        add_lost();
        judge_whole(growth);
        std::move(findings_.begin(), findings_.end(), std::back_inserter(growth.findings));
    }

private:
    // What a group has is no finding by itself.
    void add_groups(std::vector<GrowthFinding> groups) {
        std::set<uint32_t> grouped;
        for (const GrowthFinding& group : groups)
            grouped.insert(group.members.begin(), group.members.end());
        std::erase_if(findings_, [&](const GrowthFinding& finding) {
            return grouped.contains(finding.members.front());
        });
        std::move(groups.begin(), groups.end(), std::back_inserter(findings_));
    }

    // A block that nothing points to any more needs no statistics. What lines of other people's
    // code lose is not listed here, and what grows has its finding.
    void add_lost() {
        std::set<uint32_t> grows;
        for (const GrowthFinding& finding : findings_) {
            if (is_growth(finding.verdict))
                grows.insert(finding.members.begin(), finding.members.end());
        }
        std::map<FrameId, std::vector<uint32_t>> lost;  // by the innermost line of one's own
        std::set<uint32_t> members;
        for (uint32_t site = 0; site < space_.histories.size(); ++site) {
            if (space_.sites.totals(site).lost_blocks == 0 || grows.contains(site)) continue;
            const FrameId line = lines_.own_line_of(space_.sites.stack(site));
            if (line == no_frame) continue;
            lost[line].push_back(site);
            members.insert(site);
        }
        std::erase_if(findings_, [&](const GrowthFinding& finding) {
            return !is_growth(finding.verdict) &&
                   std::any_of(finding.members.begin(), finding.members.end(),
                               [&](uint32_t site) { return members.contains(site); });
        });
        for (const auto& [line, sites] : lost) findings_.push_back(lost_finding(line, sites));
    }

    GrowthFinding lost_finding(FrameId line, const std::vector<uint32_t>& sites) const {
        std::vector<FrameId> path{line};
        if (sites.size() == 1) path = lines_.path_of(space_.sites.stack(sites.front()));
        Judgement whole_run;
        whole_run.until = curves_.size();
        GrowthFinding finding = finding_of(sites, std::move(path), whole_run);
        finding.grown_bytes = finding.grown_blocks = finding.acquired_blocks = 0;
        for (const uint32_t site : sites) {
            const Totals& totals = space_.sites.totals(site);
            finding.grown_bytes += value_of(totals, Measure::lost);
            finding.grown_blocks += blocks_of(totals, Measure::lost);
            finding.acquired_blocks += totals.allocations;
        }
        finding.verdict = Verdict::leak;
        finding.confidence = 1;
        finding.reason = GrowthReason::lost;
        finding.why = "a search found that they are lost";
        return finding;
    }

    void judge_site(uint32_t site) {
        const SiteHistory& history = space_.histories[site];
        const uint64_t least = space_.totals.own_peak_bytes / listed_part;
        const HeldPoint held = curves_.last_of(history);
        const bool is_large = space_.sites[site].totals.own_peak_bytes > least;
        // A site with survivors of one moment only did not grow by itself.
        const bool was_once = curves_.count_of(history.born) < 2;
        const bool is_still = was_once && curves_.count_of(history.held) < 4;
        if (is_still && !is_large) {
            if (curves_.keeps_in_work(history)) add_growing(site, false);
            return;
        }
        const Judgement judgement = judge(curves_, curves_.of(history));
        const Group group = recording_.model.stacks.nodes[space_.sites[site].stack].group;
        if (judgement.verdict == Verdict::leak && group == Group::none) {
            return add_growing(site, true);
        }
        // What a library kept before it was loaded at another place is a part of what it keeps.
        const bool is_part =
            curves_.keeps_in_work(history) && loaded_again_.is_in(space_.sites[site].stack);
        if ((judgement.too_few || is_part) && group == Group::none) add_growing(site, false);
        const bool rises = is_growth(judgement.verdict);
        const bool is_listed =
            rises ? whole(judgement.grown_bytes) >= std::max(growing_min, held.bytes / listed_part)
                  : is_large && judgement.verdict != Verdict::steady;
        if (!is_listed) return;
        GrowthFinding finding =
            finding_of({site}, lines_.path_of(space_.sites[site].stack), judgement);
        if (group != Group::none && is_growth(finding.verdict)) {
            finding.verdict = Verdict::growing;
            finding.why = why_of(group);
        }
        if (finding.verdict != Verdict::steady) findings_.push_back(std::move(finding));
    }

    std::string why_of(Group group) const {
        const bool is_unseen = find_space(recording_.model, "python") == nullptr;
        if (group == Group::python_arenas && is_unseen) {
            return "small objects of Python lie in it; recorded with python_allocs=sample or all, "
                   "growth is shown by the lines that made them";
        }
        return "it is no place in the code, but what others took grows in it";
    }

    void add_growing(uint32_t site, bool leaks) {
        lines_.set_path(path_, space_.sites.stack(site));
        growing_.push_back({site, paths_.add(path_), leaks});
    }

    GrowthFinding finding_of(const std::vector<uint32_t>& sites, std::vector<FrameId> path,
                             const Judgement& judgement) const {
        GrowthFinding finding;
        finding.space = space_.name;
        finding.verdict = judgement.verdict;
        finding.confidence = judgement.confidence;
        finding.why = judgement.why;
        finding.sites = sites.size();
        finding.members = sites;
        finding.since_ns = curves_.begin_ns(judgement.since);
        finding.grown_bytes = whole(judgement.grown_bytes);
        finding.grown_blocks = whole(judgement.grown_blocks);
        GrownBlocks blocks{.grown = judgement.grown_blocks};
        std::reverse(path.begin(), path.end());
        finding.frames = std::move(path);
        Curve curve;
        double all = 0;
        uint64_t last_birth = 0;
        std::map<FrameId, double> lines;
        for (const uint32_t site : sites) {
            const SiteHistory& history = space_.histories[site];
            const Curve part = curves_.of(history);
            last_birth = std::max(last_birth, curves_.last_birth_ns(history, judgement.until));
            double born = 0;
            for (size_t i = judgement.since; i < judgement.until; ++i) born += part.born_bytes[i];
            const uint32_t stack = space_.sites[site].stack;
            finding.parts.push_back({stack, born});
            blocks.add(space_.sites[site].totals);
            if (const FrameId line = lines_.own_line_of(stack); line != no_frame)
                lines[line] += born;
            all += born;
            add(curve, part);
            const HeldPoint held = curves_.last_of(history);
            finding.held_bytes += held.bytes;
            finding.held_blocks += held.blocks;
        }
        // A thread may work on after the last step. What it keeps then is in no slice.
        const bool came_after = blocks.held >= static_cast<double>(finding.held_blocks) + 2;
        if (came_after && judgement.until == curves_.size()) last_birth = run_.work_end_ns;
        for (const auto& [line, born] : lines) finding.lines.push_back({line, born});
        largest_first(finding.parts, all);
        largest_first(finding.lines, all);
        finding.acquired_blocks =
            whole(sum_of(curve.allocations, judgement.since, judgement.until));
        finding.grown_steps = curves_.steps_in(judgement.since, judgement.until);
        finding.reason = reason_of(run_, blocks);
        // A finding has the rate of its curve, whatever the verdict will be.
        if (is_growth(finding.verdict)) finding.rate = rate_of(curves_, curve, judgement);
        Judgement decided = judgement;
        const GrowthTime time = time_of(curves_, curve, judgement, last_birth, run_);
        decide(decided, finding.reason, run_, time);
        finding.verdict = decided.verdict;
        finding.confidence = decided.confidence;
        finding.why = decided.why;
        if (space_.is_estimate) doubt_few_samples(finding);
        if (!is_growth(decided.verdict) && is_by_chance(curve, decided))
            finding.verdict = Verdict::steady;
        if (is_growth(finding.verdict)) excuse(finding, recording_);
        return finding;
    }

    // Each block of a sample stands for `interval` bytes or so, and a few of them are chance.
    void doubt_few_samples(GrowthFinding& finding) const {
        const uint64_t interval = space_.sample_interval;
        if (interval == 0) return;
        if (!is_growth(finding.verdict)) {
            if (finding.held_bytes / interval < samples_min) finding.verdict = Verdict::steady;
            return;
        }
        const uint64_t samples = finding.grown_bytes / interval;
        finding.why += fmt::format("; estimated from about {} of a sample",
                                   counted(samples, space_.name == "python" ? "object" : "block"));
        widen(finding.rate, finding.grown_bytes, interval);
        if (samples >= samples_min) return;
        finding.verdict = samples >= samples_min / 2 ? Verdict::growing : Verdict::steady;
        finding.confidence = std::min(finding.confidence, 0.5);
    }

    template <class Part>
    static void largest_first(std::vector<Part>& parts, double all) {
        for (Part& part : parts) part.share = all == 0 ? 0 : part.share / all;
        std::stable_sort(parts.begin(), parts.end(),
                         [](const Part& a, const Part& b) { return a.share > b.share; });
    }

    // True if chance moves a sample by as much.
    bool is_by_chance(const Curve& curve, const Judgement& judged) const {
        if (!space_.is_estimate) return false;
        const auto is_chance = [&](double change) {
            return is_chance_of_sample(change, curve.bytes, space_.sample_interval);
        };
        if (is_growth(judged.verdict)) return is_chance(judged.grown_bytes);
        if (judged.verdict == Verdict::periodic)
            return is_chance(deepest_fall(curve.bytes, 0, curve.size()));
        if (judged.verdict != Verdict::cache && judged.verdict != Verdict::loaded) return false;
        return is_chance(highest_of(curve.bytes, 0, curve.size()) - curve.bytes.front());
    }

    // Returns the call site with most of what the space grew by, if it is known of most of that
    // that it does not go on; nullptr otherwise.
    const GrowthFinding* most_of(const Judgement& judgement) const {
        constexpr double most_part = 0.5, of_caches = 0.75;
        const GrowthFinding* most = nullptr;
        double held = 0, held_by_caches = 0;
        for (const GrowthFinding& finding : findings_) {
            const bool is_cache = finding.verdict == Verdict::cache;
            const bool is_known = is_cache || finding.verdict == Verdict::loaded ||
                                  finding.verdict == Verdict::bounded;
            if (!is_known) continue;
            (is_cache ? held_by_caches : held) += static_cast<double>(finding.held_bytes);
            if (most == nullptr || finding.held_bytes > most->held_bytes) most = &finding;
        }
        const bool is_most = held >= most_part * judgement.grown_bytes ||
                             held + held_by_caches >= of_caches * judgement.grown_bytes;
        return is_most ? most : nullptr;
    }

    // True if a space that grows by so much is not told by what the rest of it does.
    static bool is_large_part(double grown, uint64_t held) {
        constexpr double part = 0.2;
        return grown > 0 && grown >= part * static_cast<double>(held);
    }

    void judge_whole(Growth& growth) {
        const Curve curve = curves_.of(space_.history);
        Judgement judgement = judge(curves_, curve);
        SpaceGrowth whole_space;
        whole_space.space = space_.name;
        whole_space.held_bytes = curves_.last_of(space_.history).bytes;
        size_t leaks = 0, growing = 0;
        double grown = 0;  // by what is not sure
        for (const GrowthFinding& finding : findings_) {
            growing += finding.verdict == Verdict::growing;
            if (finding.verdict == Verdict::growing)
                grown += static_cast<double>(finding.grown_bytes);
            if (finding.verdict != Verdict::leak) continue;
            leaks += 1;
            whole_space.rate += finding.rate;
        }
        whole_space.verdict = judgement.verdict;
        whole_space.why = judgement.why;
        if (leaks > 0) {
            whole_space.verdict = Verdict::leak;
            whole_space.why = fmt::format("{} in it", counted(leaks, "leak"));
        } else if (is_by_chance(curve, judgement)) {
            whole_space.verdict = Verdict::steady;
            whole_space.why =
                judgement.verdict == Verdict::periodic
                    ? "its rises and falls are no more than chance of the sample"
                    : "not sure, because few objects were sampled: it may have grown by chance of "
                      "the sample, or more than that";
        } else if (is_growth(judgement.verdict) || is_large_part(grown, whole_space.held_bytes)) {
            const GrowthFinding* const most = growing > 0 ? nullptr : most_of(judgement);
            const bool is_little = judgement.grown_bytes < little_rise;
            whole_space.verdict = most != nullptr ? most->verdict : Verdict::growing;
            if (growing > 0) {
                whole_space.why = fmt::format("{} in it, not sure", counted(growing, "growth"));
            } else if (most != nullptr) {
                whole_space.why = most->why;
            } else if (is_little) {
                whole_space.verdict = Verdict::steady;
                whole_space.why =
                    fmt::format("it rose by {} in all, and no call site does so steadily",
                                human_bytes_of(judgement.grown_bytes));
            } else {
                whole_space.unplaced = rate_of(curves_, curve, judgement);
                whole_space.why = "it grows as a whole, but no call site does so steadily";
            }
        }
        growth.spaces.push_back(std::move(whole_space));
    }

    const Recording& recording_;
    const Space& space_;
    const GrowthCurves& curves_;
    const SiteLines lines_;
    GrowthPaths paths_;  // of growing_
    const LoadedAgain loaded_again_{recording_.model.stacks};
    std::vector<GrowingSite> growing_;
    std::vector<FrameId> path_;  // the last one
    std::vector<GrowthFinding> findings_;
    RunFacts run_;
};

}  // namespace

Growth find_growth(const Recording& recording, const GrowthOptions& options) {
    Growth growth;
    const Model& model = recording.model;
    const GrowthCurves curves = curves_of_work(recording, growth_points_min);
    growth.by_steps = curves.by_steps();
    growth.points = curves.size();
    if (curves.size() > 0) growth.until_ns = curves.end_ns(curves.size() - 1);
    growth.not_judged = reason_not_to_judge(model, !recording.merged.left_out.histories, curves);
    if (!growth.not_judged.empty()) return growth;
    const StackView view(recording.symbols, options.interpreter_frames);
    const GrowthLines facts = growth_lines_of(recording);
    for (const Space& space : model.spaces) {
        SpaceJudge(recording, space, curves, view, facts).run(growth);
    }
    // Kept memory is no place in the code. What lies in it comes first, if it is known.
    const auto is_place = [&](const GrowthFinding& finding) {
        const uint32_t stack = finding.parts.empty() ? no_stack : finding.parts[0].stack;
        return stack == no_stack || model.stacks.nodes[stack].group == Group::none;
    };
    std::stable_sort(growth.findings.begin(), growth.findings.end(),
                     [&](const GrowthFinding& a, const GrowthFinding& b) {
                         if (a.verdict != b.verdict) return a.verdict < b.verdict;
                         if (is_place(a) != is_place(b)) return is_place(a);
                         return is_growth(a.verdict) ? a.rate.bytes_per_hour > b.rate.bytes_per_hour
                                                     : a.held_bytes > b.held_bytes;
                     });
    // What the filters removed may grow, too.
    if (!model.filters) growth.exhaustions = find_exhaustions(model, growth.spaces, options.memory);
    return growth;
}

}  // namespace memtrace::analyzer
