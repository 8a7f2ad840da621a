// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t joined_min = 6;         // native callees that leak in step
constexpr size_t joined_python_min = 3;  // the same below a line of Python
constexpr size_t blocks_min = 8;         // survivors of stacks that have too few each
constexpr double same_size_part = 8;     // Sizes that differ by less are the same.
constexpr size_t spread_min = 3;         // slices with survivors of a stack that leaks repeatedly
// Survivors of the stacks of a line that belong to no group.
constexpr uint64_t line_blocks_min = 64;
constexpr uint64_t line_blocks_many = 512;  // more than code keeps that runs for the first time

using Path = std::span<const FrameId>;

class Grouper {
public:
    Grouper(const Space& space, const Symbols& symbols, const GrowthCurves& curves,
            const GrowthPlaces& places, const std::vector<GrowingSite>& sites)
        : space_(space),
          symbols_(symbols),
          curves_(curves),
          paths_(places.paths),
          own_(places.own),
          place_of_(places.place_of),
          recursion_(symbols, places.paths, places.own),
          path_of_(space.histories.size()) {
        for (const GrowingSite& site : sites) path_of_[site.site] = site.path;
    }

    // Survivors of sites.
    struct Survivors {
        uint64_t blocks = 0;
        uint64_t again = 0;  // of sites that kept blocks repeatedly
    };
    struct Result {
        std::vector<GrowingGroup> groups;
        std::vector<uint32_t> few;  // sites that belong to no group
        Survivors of_few;
    };

    // `sites` must be sorted by path and equal in their first `depth` frames.
    Result run(std::span<const GrowingSite> sites, size_t depth) {
        const Path first = paths_[sites.front().path];
        const Path last = paths_[sites.back().path];
        while (depth < first.size() && depth < last.size() && first[depth] == last[depth]) ++depth;
        Result result;
        size_t branches = 0;
        while (!sites.empty()) {
            const Path path = paths_[sites.front().path];
            const auto end = std::partition_point(sites.begin() + 1, sites.end(), [&](auto& site) {
                return is_alike(path, paths_[site.path], depth);
            });
            const auto part = sites.first(static_cast<size_t>(end - sites.begin()));
            Result inner = path.size() == depth ? leaf(part) : run(part, depth + 1);
            std::move(inner.groups.begin(), inner.groups.end(), std::back_inserter(result.groups));
            branches += !inner.few.empty();
            result.few.insert(result.few.end(), inner.few.begin(), inner.few.end());
            result.of_few.blocks += inner.of_few.blocks;
            result.of_few.again += inner.of_few.again;
            sites = sites.subspan(part.size());
        }
        join(result, first.first(depth));
        if (branches > 1) gather(result, first.first(depth));
        return result;
    }

    // A line below a recursion is one place, however deep the recursion was at the time.
    void join_recursions(Result& result) {
        std::map<std::vector<FrameId>, std::vector<size_t>> places;
        for (size_t i = 0; i < result.groups.size(); ++i) {
            const std::vector<uint32_t>& sites = result.groups[i].sites;
            const Path place = place_of(sites.front());
            const bool is_one = std::all_of(sites.begin(), sites.end(), [&](uint32_t site) {
                return std::ranges::equal(place_of(site), place);
            });
            if (is_one && !place.empty()) places[frames_of(place)].push_back(i);
        }
        std::set<size_t> parts;
        for (const auto& [place, same] : places) {
            if (same.size() < 2) continue;
            GrowingGroup all{sites_of(same, result.groups), {}, {}};
            all.judgement = judge_sum(all.sites);
            if (all.judgement.verdict != Verdict::leak) continue;
            all.path = common_ends(all.sites);
            result.groups.push_back(std::move(all));
            parts.insert(same.begin(), same.end());
        }
        remove(result.groups, parts);
    }

    // Below a recursion a line keeps its blocks at thousands of stacks. The groups of that line are
    // those few of them that could be judged alone.
    void gather_lines(Result& result) {
        const auto line_of = [&](uint32_t site) {
            const Path path = paths_[path_of_[site]];
            return path.empty() ? no_frame : path.back();
        };
        std::map<FrameId, Line> lines;
        for (const uint32_t site : result.few) lines[line_of(site)].few.push_back(site);
        lines.erase(no_frame);
        for (size_t i = 0; i < result.groups.size(); ++i) {
            const std::vector<uint32_t>& members = result.groups[i].sites;
            const auto line = lines.find(line_of(members.front()));
            if (line == lines.end()) continue;
            const bool is_of_line = std::all_of(members.begin(), members.end(), [&](uint32_t site) {
                return line_of(site) == line->first;
            });
            if (is_of_line) line->second.groups.push_back(i);
        }
        std::vector<GrowingGroup> joined;
        std::set<size_t> parts;
        for (const auto& [frame, line] : lines) {
            std::optional<GrowingGroup> group = group_of(frame, line, result.groups);
            if (!group) continue;
            group->path = common_ends(group->sites);
            joined.push_back(std::move(*group));
            parts.insert(line.groups.begin(), line.groups.end());
        }
        remove(result.groups, parts);
        std::move(joined.begin(), joined.end(), std::back_inserter(result.groups));
    }

private:
    // What grows at one line.
    struct Line {
        std::vector<uint32_t> few;   // sites that belong to no group
        std::vector<size_t> groups;  // places of the groups
    };

    Path place_of(uint32_t site) const { return recursion_.inside(paths_[path_of_[site]]); }

    static void remove(std::vector<GrowingGroup>& groups, const std::set<size_t>& parts) {
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            groups.erase(groups.begin() + static_cast<ptrdiff_t>(*part));
    }

    static std::vector<uint32_t> sites_of(const std::vector<size_t>& parts,
                                          const std::vector<GrowingGroup>& groups) {
        std::vector<uint32_t> all;
        for (const size_t part : parts) {
            const std::vector<uint32_t>& sites = groups[part].sites;
            all.insert(all.end(), sites.begin(), sites.end());
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    // Returns all that a line kept as one group, if its groups have only a part of that.
    std::optional<GrowingGroup> group_of(FrameId frame, const Line& line,
                                         const std::vector<GrowingGroup>& groups) const {
        const Survivors of_few = survivors_of(line.few);
        GrowingGroup all{sites_of(line.groups, groups), {}, {}};
        const uint64_t blocks = of_few.blocks + survivors_of(all.sites).blocks;
        if (of_few.blocks < line_blocks_min || of_few.blocks * 4 < blocks) return {};
        all.sites.insert(all.sites.end(), line.few.begin(), line.few.end());
        std::sort(all.sites.begin(), all.sites.end());
        all.judgement = judge_sum(all.sites);
        if (all.judgement.verdict != Verdict::leak) return {};
        // Code that runs for the first time keeps a block at each place, too.
        const bool is_sure = !line.groups.empty() || of_few.again * 2 >= of_few.blocks ||
                             (own_[frame] && blocks >= line_blocks_many);
        if (!is_sure) {
            all.judgement.verdict = Verdict::growing;
            all.judgement.confidence = std::min(all.judgement.confidence, 0.5);
            all.judgement.why +=
                ", but most of its call stacks kept blocks only once: it may be "
                "code that runs for the first time";
        }
        return all;
    }

    std::vector<FrameId> common_ends(const std::vector<uint32_t>& sites) const {
        std::set<uint32_t> paths;
        for (const uint32_t site : sites) paths.insert(path_of_[site]);
        return paths_.common_ends(paths);
    }

    static bool is_alike(Path a, Path b, size_t depth) {
        if (a.size() == depth || b.size() == depth) return a.size() == b.size();
        return a[depth] == b[depth];
    }
    static std::vector<FrameId> frames_of(Path path) { return {path.begin(), path.end()}; }

    Survivors survivors_of(const std::vector<uint32_t>& sites) const {
        Survivors survivors;
        for (const uint32_t site : sites) {
            const SiteHistory history = space_.histories[site];
            uint64_t blocks = 0;
            for (const BornPoint& born : history.born) blocks += born.blocks;
            survivors.blocks += blocks;
            if (curves_.count_of(history.born) >= spread_min) survivors.again += blocks;
        }
        return survivors;
    }

    void set_few(Result& result, std::vector<uint32_t> sites) const {
        result.of_few = survivors_of(sites);
        result.few = std::move(sites);
    }

    Judgement judge_sum(const std::vector<uint32_t>& sites) const {
        return judge(curves_, curves_.sum_of(space_.histories, sites));
    }

    Values born(const GrowingGroup& group) const {
        return curves_.sum_of(space_.histories, group.sites).born_blocks;
    }

    // Combines sites with the same path. Reports do not show the differences between them.
    Result leaf(std::span<const GrowingSite> sites) {
        const Path path = paths_[sites.front().path];
        Result result;
        GrowingGroup group;
        for (const GrowingSite& site : sites) {
            (site.leaks ? group.sites : result.few).push_back(site.site);
        }
        if (!group.sites.empty()) {
            group.path = frames_of(path);
            if (add_few(result, group)) return result;
            set_few(result, std::move(result.few));
            group.judgement = judge_sum(group.sites);
            if (group.judgement.verdict != Verdict::leak) {
                // Each site leaks, but their sum does not, because they take turns. Then only the
                // first of them counts.
                group.sites.resize(1);
                group.judgement = judge_sum(group.sites);
            }
            result.groups.push_back(std::move(group));
            return result;
        }
        gather_places(result, path);
        set_few(result, std::move(result.few));
        gather(result, path);
        return result;
    }

    // Adds to a group the sites of its path that have too few survivors, if these are as large, and
    // if the sum leaks still. The interpreter's frames differ between the first rounds of a loop
    // and the later ones.
    bool add_few(Result& result, const GrowingGroup& group) {
        GrowingGroup all = group;
        const double size = mean_size(group.sites);
        std::vector<uint32_t> rest;
        for (const uint32_t site : result.few) {
            const bool is_as_large = std::abs(mean_size({site}) - size) <= size / same_size_part;
            (is_as_large ? all.sites : rest).push_back(site);
        }
        if (all.sites.size() == group.sites.size()) return false;
        std::sort(all.sites.begin(), all.sites.end());
        all.judgement = judge_sum(all.sites);
        if (all.judgement.verdict != Verdict::leak) return false;
        result.groups.push_back(std::move(all));
        set_few(result, std::move(rest));
        return true;
    }

    // Returns bytes for each survivor.
    double mean_size(const std::vector<uint32_t>& sites) const {
        double bytes = 0, blocks = 0;
        for (const uint32_t site : sites) {
            const SiteHistory history = space_.histories[site];
            for (const BornPoint& born : history.born) {
                bytes += static_cast<double>(born.bytes);
                blocks += static_cast<double>(born.blocks);
            }
        }
        return blocks == 0 ? 0 : bytes / blocks;
    }

    // Adds up the survivors of stacks that read the same. Each of them may have a single block.
    void gather_places(Result& result, Path path) {
        if (result.few.size() < blocks_min) return;
        std::map<uint64_t, std::vector<uint32_t>> places;
        for (const uint32_t site : result.few) places[place_of_(site)].push_back(site);
        std::vector<uint32_t> rest;
        for (auto& [place, sites] : places) {
            if (is_spread(sites)) {
                GrowingGroup group{sites, frames_of(path), judge_sum(sites)};
                if (group.judgement.verdict == Verdict::leak) {
                    result.groups.push_back(std::move(group));
                    continue;
                }
            }
            rest.insert(rest.end(), sites.begin(), sites.end());
        }
        std::sort(rest.begin(), rest.end());
        result.few = std::move(rest);
    }

    bool is_spread(const std::vector<uint32_t>& sites) const {
        uint64_t blocks = 0;
        std::set<size_t> slices;
        for (const uint32_t site : sites) {
            const SiteHistory history = space_.histories[site];
            for (const BornPoint& born : history.born) {
                blocks += born.blocks;
                slices.insert(curves_.whole_of(born.slice));
            }
        }
        return blocks >= blocks_min && slices.size() >= spread_min;
    }

    // Adds up the survivors of stacks that have too few by themselves.
    void gather(Result& result, Path path) {
        const auto& [blocks, again] = result.of_few;
        // Code that runs for the first time also keeps a block or two, once at each place. That
        // alone is not a leak. At least half of the blocks must come from stacks that kept blocks
        // repeatedly.
        if (blocks < blocks_min || again * 2 < blocks) return;
        GrowingGroup group{result.few, frames_of(path), judge_sum(result.few)};
        if (group.judgement.verdict != Verdict::leak) return;
        result.groups.push_back(std::move(group));
        result.few.clear();
        result.of_few = {};
    }

    bool are_in_step(const std::vector<GrowingGroup>& groups) const {
        const Values births = born(groups.front());
        return std::all_of(groups.begin() + 1, groups.end(), [&](const GrowingGroup& other) {
            return are_alike(births, born(other));
        });
    }

    // True if several lines of one function allocated the blocks, and none of its callees.
    bool are_of_one_function(const std::vector<GrowingGroup>& groups, size_t depth) const {
        return std::all_of(groups.begin(), groups.end(), [&](const GrowingGroup& group) {
            const std::vector<FrameId>& first = groups.front().path;
            return group.path.size() == depth + 1 && first.size() == depth + 1 &&
                   symbols_.frames[group.path[depth]].function ==
                       symbols_.frames[first[depth]].function;
        });
    }

    void join(Result& result, Path path) {
        std::vector<GrowingGroup>& groups = result.groups;
        if (groups.size() < 2 || path.empty()) return;
        const bool is_python = symbols_.frames[path.back()].kind == FrameKind::python;
        const size_t needed = are_of_one_function(groups, path.size()) ? 2
                              : is_python                              ? joined_python_min
                                                                       : joined_min;
        if (groups.size() < needed || !are_in_step(groups)) return;
        GrowingGroup joined;
        joined.path = frames_of(path);
        for (const GrowingGroup& group : groups) {
            joined.sites.insert(joined.sites.end(), group.sites.begin(), group.sites.end());
        }
        joined.judgement = judge_sum(joined.sites);
        if (joined.judgement.verdict != Verdict::leak) return;
        groups.clear();
        groups.push_back(std::move(joined));
    }

    const Space& space_;
    const Symbols& symbols_;
    const GrowthCurves& curves_;
    const GrowthPaths& paths_;
    const std::vector<bool>& own_;
    const PlaceOf& place_of_;
    const Recursion recursion_;
    std::vector<uint32_t> path_of_;  // by site
};

}  // namespace

std::vector<GrowingGroup> group_growth(const Space& space, const Symbols& symbols,
                                       const GrowthCurves& curves, const GrowthPlaces& places,
                                       std::vector<GrowingSite> sites) {
    if (sites.empty()) return {};
    const std::vector<uint32_t> order = places.paths.places();
    std::sort(sites.begin(), sites.end(), [&](const GrowingSite& a, const GrowingSite& b) {
        return a.path != b.path ? order[a.path] < order[b.path] : a.site < b.site;
    });
    Grouper grouper(space, symbols, curves, places, sites);
    Grouper::Result result = grouper.run(sites, 0);
    grouper.join_recursions(result);
    grouper.gather_lines(result);
    return std::move(result.groups);
}

}  // namespace memtrace::analyzer
