// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/base/error.h"
#include "analyzer/base/saturating.h"
#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {

namespace {

// Bands of one space or site over several runs. It may be missing from some of the runs.
struct Observed {
    Bands bands{};
    uint64_t runs = 0;
    std::string place;

    void add(const Figures& figures) {
        for (const MetricRow& row : compared_metrics) {
            Band& at = band(bands, row.metric);
            const uint64_t value = figure(figures, row.metric);
            at.min = runs == 0 ? value : std::min(at.min, value);
            at.max = std::max(at.max, value);
        }
        ++runs;
    }

    // A run without it counts as zero.
    void finish(uint64_t all_runs) {
        if (runs == all_runs) return;
        for (Band& at : bands) at.min = 0;
    }
};

using Sites = std::map<std::string, Observed>;

uint64_t floor_of(const Figures& floors, const Bands& whole, const MetricRow& row) {
    const uint64_t least = figure(floors, row.metric);
    if (row.part == 0 || least < row.floor) return least;
    return std::max(least, band(whole, row.metric).max / row.part);
}

bool matters(const Bands& bands, const Figures& floors) {
    return std::any_of(metrics.begin(), metrics.end(), [&](const MetricRow& row) {
        const uint64_t most = band(bands, row.metric).max;
        return adds_up(row.metric) && most != 0 && most >= figure(floors, row.metric);
    });
}

void list_sites(BaselineSpace& space, Sites& sites, uint64_t runs) {
    for (auto& [key, site] : sites) {
        site.finish(runs);
        if (matters(site.bands, space.floors)) {
            space.sites.push_back({key, site.place, site.bands});
        }
    }
    space.other_sites = sites.size() - space.sites.size();
}

void add_others(Figures& sum, const BaselineSpace& space, const MeasuredSpace& measured) {
    for (const MeasuredSite& site : measured.sites) {
        if (find_site(space, site.key) != nullptr) continue;
        for (const MetricRow& row : compared_metrics) {
            const auto at = static_cast<size_t>(row.metric);
            if (adds_up(row.metric)) add_saturating(sum[at], site.figures[at]);
        }
    }
}

// Sums the sites that are not listed, run by run.
void sum_others(BaselineSpace& space, const std::vector<Measurements>& runs) {
    Observed sum;
    for (const Measurements& run : runs) {
        Figures figures{};
        const MeasuredSpace* measured = find_space(run, space.name);
        if (measured != nullptr) add_others(figures, space, *measured);
        sum.add(figures);
    }
    space.others = sum.bands;
}

BaselineSpace make_space(const std::string& name, const std::vector<Measurements>& runs,
                         const Figures& floors) {
    Observed whole;
    Sites sites;
    for (const Measurements& run : runs) {
        const MeasuredSpace* space = find_space(run, name);
        if (space == nullptr) continue;
        whole.add(space->figures);
        for (const MeasuredSite& site : space->sites) {
            Observed& seen = sites[site.key];
            seen.add(site.figures);
            const SourceLocation& place = site.places.most_held();
            if (!place.file.empty()) seen.place = text_of(place);
        }
    }
    whole.finish(runs.size());
    BaselineSpace space;
    space.name = name;
    space.bands = whole.bands;
    space.has.fill(true);
    const bool searched = std::all_of(runs.begin(), runs.end(),
                                      [](const Measurements& run) { return run.was_searched; });
    for (const MetricRow& row : compared_metrics) {
        space.has[static_cast<size_t>(row.metric)] = searched || !is_of_search(row.metric);
    }
    for (const MetricRow& row : compared_metrics) {
        space.floors[static_cast<size_t>(row.metric)] = floor_of(floors, whole.bands, row);
    }
    list_sites(space, sites, runs.size());
    sum_others(space, runs);
    return space;
}

void require_one_program(const std::vector<Measurements>& runs) {
    for (const Measurements& run : runs) {
        if (run.program == runs[0].program) continue;
        throw Error(fmt::format("a baseline is of one program; these dumps are of {} and of {}",
                                printable(runs[0].program), printable(run.program)));
    }
}

Band moved(const Band& old, uint64_t value) {
    if (old.has(value)) return old;
    // The width is in proportion to the middle, because a program that takes twice as much varies
    // twice as much.
    const auto middle = static_cast<double>(old.min) / 2 + static_cast<double>(old.max) / 2;
    const auto width = static_cast<double>(old.max - old.min);
    const uint64_t half =
        middle == 0 ? 0 : saturating_whole(width / middle * static_cast<double>(value) / 2);
    return {value - std::min(value, half), saturating_sum({value, half})};
}

// Keeps old sites that are not listed now if their bands contain their present figures, which are
// zero for an absent site. Such sites were missing in some of the older runs, too.
void keep_absent_sites(BaselineSpace& space, const BaselineSpace& old, const MeasuredSpace& now) {
    std::vector<BaselineSite> kept;
    for (const BaselineSite& site : old.sites) {
        if (find_site(space, site.key) != nullptr) continue;
        const MeasuredSite* measured = find_site(now, site.key);
        const Figures figures = measured == nullptr ? Figures{} : measured->figures;
        const bool usual = std::all_of(metrics.begin(), metrics.end(), [&](const MetricRow& row) {
            return !adds_up(row.metric) || !has_metric(old, row.metric) ||
                   band(site.bands, row.metric).has(figure(figures, row.metric));
        });
        if (!usual) continue;
        kept.push_back(site);
        if (measured != nullptr) --space.other_sites;
    }
    space.sites.insert(space.sites.end(), kept.begin(), kept.end());
    std::sort(space.sites.begin(), space.sites.end(),
              [](const BaselineSite& a, const BaselineSite& b) { return a.key < b.key; });
}

// `fresh` contains the figures of the new run only.
Bands moved(const Bands& old, const Bands& fresh) {
    Bands result;
    for (size_t at = 0; at < result.size(); ++at) result[at] = moved(old[at], fresh[at].max);
    return result;
}

}  // namespace

Figures default_floors() {
    Figures floors{};
    for (const MetricRow& row : compared_metrics) {
        floors[static_cast<size_t>(row.metric)] = row.floor;
    }
    return floors;
}

Baseline make_baseline(const std::vector<Measurements>& runs, const Figures& floors) {
    require_one_program(runs);
    const Measurements& first = runs.at(0);
    Baseline baseline{"", MEMTRACE_VERSION, first.program, first.python, first.gpu, runs.size(),
                      {}, first.selection};
    std::map<std::string, bool> names;  // name of the space -> true if its figures are exact
    for (const Measurements& run : runs) {
        for (const MeasuredSpace& space : run.spaces) {
            names.try_emplace(space.name, true).first->second &= !space.is_estimate;
        }
    }
    for (const auto& [name, is_exact] : names) {
        if (is_exact) baseline.spaces.push_back(make_space(name, runs, floors));
    }
    return baseline;
}

Baseline update_baseline(const Baseline& old, const Measurements& run, const Figures& floors) {
    Baseline result = make_baseline({run}, floors);
    result.runs = old.runs;
    for (BaselineSpace& space : result.spaces) {
        const BaselineSpace* before = find_space(old, space.name);
        if (before == nullptr) continue;
        for (BaselineSite& site : space.sites) {
            const BaselineSite* known = find_site(*before, site.key);
            if (known != nullptr) site.bands = moved(known->bands, site.bands);
        }
        keep_absent_sites(space, *before, *find_space(run, space.name));
        sum_others(space, {run});
        space.bands = moved(before->bands, space.bands);
        space.others = moved(before->others, space.others);
    }
    return result;
}

const BaselineSpace* find_space(const Baseline& baseline, const std::string& name) {
    for (const BaselineSpace& space : baseline.spaces) {
        if (space.name == name) return &space;
    }
    return nullptr;
}

const BaselineSite* find_site(const BaselineSpace& space, const std::string& key) {
    const auto found = std::lower_bound(
        space.sites.begin(), space.sites.end(), key,
        [](const BaselineSite& site, const std::string& k) { return site.key < k; });
    return found != space.sites.end() && found->key == key ? &*found : nullptr;
}

}  // namespace memtrace::analyzer
