// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/measurements.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/saturating.h"
#include "analyzer/check/site_places.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/frames/stable_name.h"
#include "analyzer/model/selection.h"
#include "analyzer/sites/site_key.h"

namespace memtrace::analyzer {

namespace {

std::string python_word(const Model& model) {
    if (!model.capture.python) return "none";
    return std::string(word_of(model.capture.python->state));
}

std::string gpu_word(const Model& model) {
    if (!model.gpu.source) return "none";
    return std::string(word_of(model.gpu.source->backend));
}

// Takes these blocks away from the site and from the whole.
void take(const Totals& part, Totals& whole, Totals& site) {
    for (const auto figure :
         {&Totals::live_blocks, &Totals::live_bytes, &Totals::held_blocks, &Totals::held_bytes,
          &Totals::lost_blocks, &Totals::lost_bytes, &Totals::indirectly_lost_blocks,
          &Totals::indirectly_lost_bytes, &Totals::possibly_lost_blocks,
          &Totals::possibly_lost_bytes, &Totals::garbage_blocks, &Totals::garbage_bytes}) {
        whole.*figure -= part.*figure;
        site.*figure -= part.*figure;
    }
}

// Calls each(stack, totals) for each site, with its totals that are not suppressed.
template <class Each>
MeasuredSpace measure_space(const Space& space, Suppressor& suppressor, Each&& each) {
    MeasuredSpace result;
    Totals whole = space.totals;
    result.name = space.name;
    result.is_estimate = space.is_estimate;
    result.interval = space.sample_interval;
    result.exact_until_ns = space.exact_until_ns;
    result.unsure_blocks = space.unsure_blocks;
    result.unsure_bytes = space.unsure_bytes;
    result.unsure_at_peak_bytes = space.unsure_at_peak_bytes;
    for (const Site& site : space.sites) {
        Totals totals = site.totals;
        const bool stays = totals.live_blocks != 0 || totals.held_blocks != 0 ||
                           totals.live_bytes != 0 || totals.held_bytes != 0;
        if (stays) {
            const Totals suppressed = suppressor.suppressed(space, site);
            add_saturating(result.suppressed_blocks, suppressed.live_blocks);
            add_saturating(result.suppressed_bytes, suppressed.live_bytes);
            take(suppressed, whole, totals);
        }
        each(site.stack, totals);
    }
    result.possibly_lost_blocks = whole.possibly_lost_blocks;
    result.possibly_lost_bytes = whole.possibly_lost_bytes;
    result.figures = figures_of_space(whole);
    return result;
}

MeasuredSpace measure_sites(const Space& space, SiteKeys& keys, Suppressor& suppressor,
                            SourceLocations& places) {
    std::vector<Totals> sums;  // by key
    SitePlaces lines(places);
    const auto add_site = [&](uint32_t stack, const Totals& totals) {
        const SiteKeys::Id key = keys.of(stack);
        if (key >= sums.size()) sums.resize(key + 1);
        add(sums[key], totals);
        lines.add(key, stack, totals);
    };
    MeasuredSpace result = measure_space(space, suppressor, add_site);
    lines.each_site([&](SiteKeys::Id id, MetricPlaces found) {
        result.sites.push_back({keys.text(id), figures_of_site(sums[id]), std::move(found)});
    });
    std::sort(result.sites.begin(), result.sites.end(),
              [](const MeasuredSite& a, const MeasuredSite& b) { return a.key < b.key; });
    return result;
}

// Calls each(metric, bytes) for both rates.
template <class Each>
void each_rate(const GrowthRate& rate, double share, Each&& each) {
    each(Metric::growth_per_step, rate.bytes_per_step * share);
    each(Metric::growth_per_hour, rate.bytes_per_hour * share);
}

void add_rate(Figures& figures, const GrowthRate& rate, double share) {
    each_rate(rate, share, [&](Metric metric, double bytes) {
        add_saturating(figures[static_cast<size_t>(metric)], saturating_whole(std::ceil(bytes)));
    });
}

// Returns where a site of this key is, or would be.
auto place_of(auto& sites, const std::string& key) {
    return std::lower_bound(
        sites.begin(), sites.end(), key,
        [](const MeasuredSite& site, const std::string& k) { return site.key < k; });
}

void add_growth(MeasuredSpace& space, const Growth& growth, SiteKeys& keys,
                SourceLocations& places) {
    const auto site_of = [&](SiteKeys::Id id) -> MeasuredSite* {
        const auto site = place_of(space.sites, keys.text(id));
        return site != space.sites.end() && site->key == keys.text(id) ? &*site : nullptr;
    };
    SitePlaces lines(places);
    for (const GrowthFinding& finding : growth.findings) {
        if (!is_known_to_grow(growth, finding) || finding.space != space.name) continue;
        add_rate(space.figures, finding.rate, 1);
        std::map<SiteKeys::Id, double> shares;
        for (const GrowthPart& part : finding.parts) {
            const SiteKeys::Id id = keys.of(part.stack);
            shares[id] += part.share;
            each_rate(finding.rate, part.share, [&](Metric metric, double bytes) {
                lines.add_rate(id, part.stack, metric, bytes);
            });
        }
        for (const auto& [id, share] : shares) {
            if (MeasuredSite* const site = site_of(id))
                add_rate(site->figures, finding.rate, std::min(share, 1.0));
        }
    }
    lines.each_site([&](SiteKeys::Id id, const MetricPlaces& found) {
        MeasuredSite* const site = site_of(id);
        if (site == nullptr) return;
        for (const Metric metric : {Metric::growth_per_step, Metric::growth_per_hour})
            site->places.set(metric, found.of(metric));
    });
}

}  // namespace

// A limit is about what grows, whoever is to blame for it.
bool is_known_to_grow(const Growth& growth, const GrowthFinding& finding) {
    if (finding.verdict == Verdict::leak) return true;
    const uint64_t lasted = growth.until_ns - std::min(growth.until_ns, finding.since_ns);
    return is_growth(finding.verdict) && is_long_growth(lasted, finding.grown_steps);
}

const MeasuredSpace* find_space(const Measurements& measured, const std::string& name) {
    for (const MeasuredSpace& space : measured.spaces) {
        if (space.name == name) return &space;
    }
    return nullptr;
}

const MeasuredSite* find_site(const MeasuredSpace& space, const std::string& key) {
    const auto found = place_of(space.sites, key);
    return found != space.sites.end() && found->key == key ? &*found : nullptr;
}

std::string program_name(const ProcessInfo& process) {
    const std::vector<std::string>& words = process.command;
    const std::string& path =
        process.executable.empty() && !words.empty() ? words[0] : process.executable;
    if (!is_interpreter_module(path)) return base_name(path);
    for (size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "-c") return "python -c";
        if (words[i] == "-m") return "python -m " + (i + 1 < words.size() ? words[i + 1] : "");
        if (words[i] == "-W" || words[i] == "-X") {
            ++i;
        } else if (!words[i].starts_with('-')) {
            return "python " + base_name(words[i]);
        }
    }
    return "python";
}

namespace {

Measurements measure_nothing(const Model& model) {
    return {program_name(model.process), python_word(model),           gpu_word(model), {},
            selection_text(model),       last_search(model) != nullptr};
}

}  // namespace

Measurements measure(const Recording& recording, Suppressor& suppressor, const std::string& root,
                     const Growth* growth) {
    Measurements result = measure_nothing(recording.model);
    SiteKeys keys(recording);
    SourceLocations places(recording, root);
    for (const Space& space : recording.model.spaces) {
        result.spaces.push_back(measure_sites(space, keys, suppressor, places));
        if (growth != nullptr) add_growth(result.spaces.back(), *growth, keys, places);
    }
    return result;
}

Measurements measure_spaces(const Recording& recording, Suppressor& suppressor) {
    Measurements result = measure_nothing(recording.model);
    for (const Space& space : recording.model.spaces) {
        result.spaces.push_back(measure_space(space, suppressor, [](uint32_t, const Totals&) {}));
    }
    return result;
}

}  // namespace memtrace::analyzer
