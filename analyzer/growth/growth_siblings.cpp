// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_siblings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analyzer/growth/growth_paths.h"
#include "analyzer/growth/growth_window.h"

namespace memtrace::analyzer {
namespace {

constexpr double full_part = 0.99;  // of the most blocks that it held: a cache is full
constexpr double expected_min = 3;  // blocks; of fewer, that none came may be chance
constexpr uint64_t large_part = 100;
constexpr double same_size_part = 8;  // Sizes that differ by less are the same.

// True if parts of one line take turns: in the slices in which the rest takes blocks, all of which
// stay, the part takes so many fewer that together they are as many as in the other slices.
bool fill_gaps(const Curve& part, const Curve& rest) {
    if (sum_of(rest.born_blocks, 0, rest.size()) < sum_of(rest.allocations, 0, rest.size()))
        return false;
    double inside = 0, outside = 0, of_part = 0, of_both = 0, of_rest_of_run = 0;
    for (size_t i = part.first; i < part.size(); ++i) {
        if (rest.allocations[i] == 0) {
            outside += 1;
            of_rest_of_run += part.born_blocks[i];
            continue;
        }
        inside += 1;
        of_part += part.born_blocks[i];
        of_both += part.born_blocks[i] + rest.born_blocks[i];
    }
    if (inside == 0 || outside == 0) return false;
    const double usual = of_rest_of_run / outside;
    return of_part / inside <= usual / 2 && std::abs(of_both / inside - usual) <= usual / 4;
}

std::vector<FrameId> common_path(const SiblingPlaces& places, const std::vector<uint32_t>& sites) {
    GrowthPaths paths;
    std::set<uint32_t> numbers;
    for (const uint32_t site : sites)
        numbers.insert(paths.add(places.lines.path_of(places.space.sites.stack(site))));
    return paths.common_ends(numbers);
}

// Which call stack of a line finds an arena empty is chance, so each of them has some of its
// chunks, each larger than those before. They become one finding.
void join_arenas(std::vector<GrowthFinding>& findings, const SiblingPlaces& places,
                 const MakeFinding& make) {
    const auto curve_of = [&](const std::vector<uint32_t>& sites) {
        return places.curves.sum_of(places.space.histories, sites);
    };
    std::map<FrameId, std::vector<uint32_t>> lines;  // of such findings: their sites
    for (const GrowthFinding& finding : findings) {
        if (finding.lines.size() == 1 && larger_moments(curve_of(finding.members)).size() >= 2)
            lines[finding.lines.front().frame] = {};
    }
    if (lines.empty()) return;
    for (uint32_t site = 0; site < places.space.histories.size(); ++site) {
        const auto line = lines.find(places.lines.own_line_of(places.space.sites.stack(site)));
        if (line != lines.end() && !larger_moments(curve_of({site})).empty())
            line->second.push_back(site);
    }
    for (const auto& [line, sites] : lines) {
        if (sites.size() < 2 || !takes_ever_larger(curve_of(sites))) continue;
        const Judgement sum = judge(places.curves, curve_of(sites));
        if (!is_growth(sum.verdict)) continue;
        GrowthFinding joined = make(sites, common_path(places, sites), sum);
        if (!is_growth(joined.verdict)) continue;
        std::erase_if(findings, [&, &of = sites](const GrowthFinding& finding) {
            return std::includes(of.begin(), of.end(), finding.members.begin(),
                                 finding.members.end());
        });
        findings.push_back(std::move(joined));
    }
}

using Function = std::pair<std::string_view, std::string_view>;  // its name, its file

class SiblingJudge {
public:
    SiblingJudge(const SiblingPlaces& places, const std::vector<GrowthFinding>& findings)
        : places_(places) {
        for (const GrowthFinding& finding : findings) {
            if (!is_growth(finding.verdict)) continue;
            growing_.insert(finding.members.begin(), finding.members.end());
            const FrameId line = line_of(finding);
            if (line == no_frame) continue;
            functions_[function_of(line)] = {};
            if (is_of_one_way(finding.members)) growths_[line].push_back(finding.members);
        }
        if (functions_.empty()) return;
        for (uint32_t site = 0; site < places.space.histories.size(); ++site) {
            const SiteHistory history = places.space.histories[site];
            if (history.born.empty() || growing_.contains(site)) continue;
            const FrameId line = places.lines.own_line_of(places.space.sites.stack(site));
            if (line == no_frame) continue;
            const auto function = functions_.find(function_of(line));
            if (function != functions_.end()) function->second.push_back({site, line});
        }
    }

    // True if the finding is a part of another one, which found that all of its line grow together.
    bool is_taken(const GrowthFinding& finding) const {
        const uint32_t front = finding.members.front();
        return taken_.contains(front) && !takers_.contains(finding.members);
    }

    // Returns false if the finding is none.
    bool judge(GrowthFinding& finding, const MakeFinding& make) {
        const FrameId line = is_growth(finding.verdict) ? line_of(finding) : no_frame;
        if (line == no_frame) return true;
        std::vector<Sibling>& siblings = functions_[function_of(line)];
        std::erase_if(siblings, [this](const Sibling& one) { return taken_.contains(one.site); });
        if (siblings.empty()) return true;
        const GrowthCurves& curves = places_.curves;
        const Curve growth = sum_of(finding.members);
        const Judgement grown = memtrace::analyzer::judge(curves, growth);
        if (take_turns(finding, line, growth, grown, siblings, make)) return true;
        if (const auto whole = line_at_rest(finding, line, growth, siblings)) {
            finding.verdict = whole->verdict;
            finding.rate = {};
            finding.why = "with the other call stacks of its line: " + whole->why;
            return is_large(finding);
        }
        Curve caches;
        for (const Sibling& sibling : siblings) {
            const Curve curve = sum_of({sibling.site});
            const Judgement judged = memtrace::analyzer::judge(curves, curve);
            if (judged.verdict == Verdict::cache) add(caches, curve);
        }
        if (caches.size() == 0) return true;
        const Beside beside = beside_cache(growth, grown.since, caches);
        if (beside == Beside::not_sure) {
            finding.verdict = Verdict::growing;
            finding.confidence = std::min(finding.confidence, 0.5);
            finding.why +=
                "; but beside it lies a cache that was full near the end only: it may "
                "be a part of that";
        }
        if (beside != Beside::part) return true;
        finding.verdict = Verdict::cache;
        finding.rate = {};
        finding.why = "it has stopped growing since the cache beside it is full";
        return is_large(finding);
    }

private:
    struct Sibling {
        uint32_t site = 0;
        FrameId line = no_frame;  // the innermost of the user's own
    };

    Curve sum_of(const std::vector<uint32_t>& sites) const {
        return places_.curves.sum_of(places_.space.histories, sites);
    }
    Function function_of(FrameId line) const {
        const Frame& frame = places_.symbols.frames[line];
        return {frame.function, frame.file};
    }

    // Returns the own line that all of it comes from; no_frame if there is no such line.
    FrameId line_of(const GrowthFinding& finding) const {
        return finding.lines.size() == 1 ? finding.lines.front().frame : no_frame;
    }

    std::vector<FrameId> own_lines_of(uint32_t site) const {
        return places_.lines.own_lines_of(places_.space.sites.stack(site));
    }

    // True if all of these have the same callers of the user's own.
    bool is_of_one_way(const std::vector<uint32_t>& sites) const {
        const std::vector<FrameId> lines = own_lines_of(sites.front());
        return std::all_of(sites.begin(), sites.end(),
                           [&](uint32_t site) { return own_lines_of(site) == lines; });
    }

    bool is_large(const GrowthFinding& finding) const {
        return finding.held_bytes > places_.space.totals.own_peak_bytes / large_part;
    }

    // Returns the siblings of the line that have the same callers of the user's own.
    std::vector<uint32_t> others_of_line(const GrowthFinding& finding, FrameId line,
                                         const std::vector<Sibling>& siblings) const {
        const std::vector<FrameId> lines = own_lines_of(finding.members.front());
        std::vector<uint32_t> others;
        for (const Sibling& sibling : siblings) {
            if (sibling.line == line && own_lines_of(sibling.site) == lines)
                others.push_back(sibling.site);
        }
        return others;
    }

    // Returns the judgement of the whole line, with the same callers, if that does not grow and the
    // finding is some of its blocks by chance.
    std::optional<Judgement> line_at_rest(const GrowthFinding& finding, FrameId line,
                                          const Curve& growth,
                                          const std::vector<Sibling>& siblings) const {
        const std::vector<uint32_t> others = others_of_line(finding, line, siblings);
        if (others.empty()) return {};
        Curve whole = sum_of(others);
        if (!is_some_of(growth, whole)) return {};
        add(whole, growth);
        const Judgement judgement = memtrace::analyzer::judge(places_.curves, whole);
        if (is_growth(judgement.verdict)) return {};
        return judgement;
    }

    // Returns what else grows at the line, below the same callers, and is a finding of its own.
    std::vector<uint32_t> growths_of_line(const GrowthFinding& finding, FrameId line) {
        const std::vector<FrameId> lines = own_lines_of(finding.members.front());
        std::vector<uint32_t> found;
        for (const std::vector<uint32_t>& members : growths_[line]) {
            const bool is_free = members != finding.members && !taken_.contains(members.front());
            if (is_free && own_lines_of(members.front()) == lines)
                found.insert(found.end(), members.begin(), members.end());
        }
        return found;
    }

    // Returns those of a line that take the blocks which the finding lacks, of the same size.
    std::vector<uint32_t> gaps_of(const Curve& growth, const std::vector<uint32_t>& others) const {
        const auto size_of = [](const Curve& curve) {
            const double blocks = analyzer::sum_of(curve.born_blocks, 0, curve.size());
            return blocks == 0 ? 0 : analyzer::sum_of(curve.born_bytes, 0, curve.size()) / blocks;
        };
        const double size = size_of(growth);
        std::vector<uint32_t> found;
        for (const uint32_t site : others) {
            const Curve curve = sum_of({site});
            if (std::abs(size_of(curve) - size) <= size / same_size_part) found.push_back(site);
        }
        if (!found.empty() && !fill_gaps(growth, sum_of(found))) found.clear();
        return found;
    }

    // Several stacks of one line, with the same callers, take turns: together they grow from an
    // earlier time on, or one has what the other lacks. Then the finding is of all of them, and
    // nothing of them is in another one.
    bool take_turns(GrowthFinding& finding, FrameId line, const Curve& growth,
                    const Judgement& grown, const std::vector<Sibling>& siblings,
                    const MakeFinding& make) {
        const std::vector<uint32_t> others = others_of_line(finding, line, siblings);
        if (others.empty()) return false;
        const auto is_as_sure = [&](const Judgement& sum) {
            return sum.grown_blocks > grown.grown_blocks &&
                   (sum.verdict == Verdict::leak ||
                    (is_growth(sum.verdict) && finding.verdict == Verdict::growing));
        };
        std::vector<uint32_t> all = united(finding.members, others);
        Judgement sum = memtrace::analyzer::judge(places_.curves, sum_of(all));
        if (sum.since >= grown.since || !is_as_sure(sum)) {
            const std::vector<uint32_t> gaps = gaps_of(growth, others);
            if (gaps.empty()) return false;
            all = united(finding.members, gaps);
            sum = memtrace::analyzer::judge(places_.curves, sum_of(all));
            if (sum.since > grown.since || !is_as_sure(sum)) return false;
        }
        add_growths_of_line(finding, line, all, sum);
        GrowthFinding joined = make(all, common_path(places_, all), sum);
        if (!is_growth(joined.verdict)) return false;
        finding = std::move(joined);
        taken_.insert(all.begin(), all.end());
        takers_.insert(std::move(all));
        return true;
    }

    // Adds what else grows at the line: with its other stacks it would be all of the line again.
    void add_growths_of_line(const GrowthFinding& finding, FrameId line, std::vector<uint32_t>& all,
                             Judgement& sum) {
        const std::vector<uint32_t> growths = growths_of_line(finding, line);
        if (growths.empty()) return;
        std::vector<uint32_t> more = united(all, growths);
        Judgement whole = memtrace::analyzer::judge(places_.curves, sum_of(more));
        if (!is_growth(whole.verdict) || whole.since > sum.since) return;
        // Many that are not sure look even together, as an import does that has hundreds of places.
        if (whole.verdict == Verdict::leak && sum.verdict != Verdict::leak) {
            whole.verdict = Verdict::growing;
            whole.confidence = std::min(whole.confidence, 0.5);
            whole.why += "; but no part of it is sure by itself";
        }
        all = std::move(more);
        sum = std::move(whole);
    }

    static std::vector<uint32_t> united(std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
        a.insert(a.end(), b.begin(), b.end());
        std::sort(a.begin(), a.end());
        return a;
    }

    const SiblingPlaces& places_;
    std::set<uint32_t> growing_;
    std::map<Function, std::vector<Sibling>> functions_;  // those in which something grows
    std::map<FrameId, std::vector<std::vector<uint32_t>>> growths_;  // members of findings, by line
    std::set<uint32_t> taken_;                // sites of findings that took others
    std::set<std::vector<uint32_t>> takers_;  // members of these findings
};

}  // namespace

bool is_some_of(const Curve& part, const Curve& rest) {
    const auto acquired = [](const Curve& curve) {
        return sum_of(curve.allocations, 0, curve.size());
    };
    const double of_part = acquired(part), of_rest = acquired(rest);
    const double kept = part.blocks.back(), kept_of_rest = rest.blocks.back();
    if (kept >= of_part || kept_of_rest >= of_rest) return false;
    const double share = (kept + kept_of_rest) / (of_part + of_rest);
    const double deviation = std::sqrt(of_part * share * (1 - share));
    return std::abs(kept - of_part * share) <= 2.5 * deviation &&
           are_alike(part.allocations, rest.allocations) &&
           are_alike(part.born_blocks, rest.born_blocks);
}

Beside beside_cache(const Curve& growth, size_t since, const Curve& cache) {
    const size_t n = cache.size();
    const double most = highest_of(cache.blocks, 0, n) * full_part;
    size_t full = 0;  // the slice at whose end it is full
    while (full + 1 < n && cache.blocks[full] < most) ++full;
    if (full <= since) return Beside::apart;
    const double used_before = sum_of(cache.allocations, since, full + 1);
    const double used_after = sum_of(cache.allocations, full + 1, n);
    // A cache that nobody asks any more tells nothing: the loop of both may be over.
    if (used_after == 0 || used_before == 0) return Beside::apart;
    const double before = since == 0 ? 0 : growth.blocks[since - 1];
    const double expected = (growth.blocks[full] - before) * used_after / used_before;
    const double came = growth.blocks[n - 1] - growth.blocks[full];
    if (came > expected / 2) return Beside::apart;
    // What came regularly needs no statistics to have stopped.
    if (came <= 0 && is_longest_pause(growth, since)) return Beside::part;
    return expected >= expected_min && came <= expected / 4 ? Beside::part : Beside::not_sure;
}

void judge_turns(std::vector<GrowthFinding>& findings, const SiblingPlaces& places,
                 const MakeFinding& make) {
    std::map<FrameId, std::vector<uint32_t>> lines;  // in which something comes and goes: its sites
    for (const GrowthFinding& finding : findings) {
        if (finding.verdict == Verdict::periodic && finding.lines.size() == 1)
            lines[finding.lines.front().frame] = {};
    }
    for (const GrowthFinding& finding : findings) {
        if (!is_growth(finding.verdict)) continue;
        for (const GrowthLine& line : finding.lines) lines.erase(line.frame);
    }
    if (lines.empty()) return;
    for (uint32_t site = 0; site < places.space.histories.size(); ++site) {
        const auto line = lines.find(places.lines.own_line_of(places.space.sites.stack(site)));
        if (line != lines.end()) line->second.push_back(site);
    }
    for (const auto& [line, sites] : lines) {
        if (sites.size() < 2) continue;
        Judgement sum = judge(places.curves, places.curves.sum_of(places.space.histories, sites));
        if (!is_growth(sum.verdict)) continue;
        sum.verdict = Verdict::growing;
        sum.confidence = std::min(sum.confidence, 0.5);
        GrowthFinding joined = make(sites, common_path(places, sites), sum);
        if (!is_growth(joined.verdict)) continue;
        std::erase_if(findings, [&, line = line](const GrowthFinding& finding) {
            return finding.lines.size() == 1 && finding.lines.front().frame == line;
        });
        findings.push_back(std::move(joined));
    }
}

void judge_siblings(std::vector<GrowthFinding>& findings, const SiblingPlaces& places,
                    const MakeFinding& make) {
    join_arenas(findings, places, make);
    SiblingJudge judge(places, findings);
    // The largest one of a line is what the others of it belong to.
    std::stable_sort(findings.begin(), findings.end(),
                     [](const GrowthFinding& a, const GrowthFinding& b) {
                         return a.grown_bytes > b.grown_bytes;
                     });
    std::erase_if(findings, [&](GrowthFinding& finding) {
        return judge.is_taken(finding) || !judge.judge(finding, make);
    });
    // What one has taken that was judged later is no finding by itself.
    std::erase_if(findings, [&](const GrowthFinding& finding) { return judge.is_taken(finding); });
}

}  // namespace memtrace::analyzer
