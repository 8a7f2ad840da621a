// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_tree.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/page/page_share.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t nodes_of_line = 8;   // There is a line for so many nodes,
constexpr size_t nodes_of_place = 8;  // and in each space a call site.

// What counts: the figures of either side, and how much they changed.
template <class Each>
void for_each_weight(Each&& each) {
    for (const uint64_t DiffFigures::*const figure : diff_figures) {
        each([figure](const DiffPair& pair) { return static_cast<double>(pair.before.*figure); });
        each([figure](const DiffPair& pair) { return static_cast<double>(pair.after.*figure); });
        each([figure](const DiffPair& pair) {
            return std::abs(static_cast<double>(pair.after.*figure) -
                            static_cast<double>(pair.before.*figure));
        });
    }
}

// Returns the largest `most` of `parts`, which have figures. `shares` may have larger ones already.
template <class Parts, class IndexOf>
void raise_shares(std::vector<float>& shares, const Parts& parts, IndexOf&& index_of) {
    for_each_weight([&](const auto& weight) {
        double whole = 0;
        for (const auto& part : parts) whole += weight(part.figures);
        for (size_t i = 0; i < parts.size() && whole != 0; ++i) {
            float& share = shares[index_of(i)];
            share = std::max(share, static_cast<float>(weight(parts[i].figures) / whole));
        }
    });
}

class Maker {
public:
    Maker(const Diff& diff, size_t nodes_max) : diff_(diff), nodes_max_(nodes_max) {}

    DiffTree run() {
        add_stacks(*diff_.before.stacks, before_nodes_);
        add_stacks(*diff_.after.stacks, after_nodes_);
        find_lines();
        for (const DiffedSpace& space : diff_.spaces) add_sites(space);
        keep_nodes();
        keep_lines();
        for (size_t i = 0; i < sites_.size(); ++i) {
            tree_.spaces.push_back(bounded(sites_[i]));
            keep_places(diff_.spaces[i], tree_.spaces.back());
        }
        return std::move(tree_);
    }

private:
    void add_stacks(const DiffStacks& stacks, std::vector<uint32_t>& nodes) {
        std::vector<uint32_t> frames;
        for (const DiffFrame& frame : stacks.frames) {
            const auto next = static_cast<uint32_t>(tree_.frames.size());
            const auto [entry, is_new] = frames_.try_emplace(frame.key, next);
            if (is_new) tree_.frames.push_back(frame.shown);
            // Names may differ in their numbers. Those of the later recording are shown.
            else tree_.frames[entry->second] = frame.shown;
            frames.push_back(entry->second);
        }
        nodes.assign(stacks.nodes.size(), DiffTreeMaker::root);
        for (size_t node = 1; node < nodes.size(); ++node) {
            const DiffNode& call = stacks.nodes[node];
            nodes[node] = calls_.child(nodes[call.parent], frames[call.frame]);
        }
    }

    void find_lines() {
        before_lines_.resize(diff_.before.lines.size());
        after_lines_.resize(diff_.after.lines.size());
        for (uint32_t line = 0; line < diff_.lines.size(); ++line) {
            const auto& [before, after] = diff_.lines[line];
            if (before != nullptr) before_lines_[index_of(diff_.before, before)] = line;
            if (after != nullptr) after_lines_[index_of(diff_.after, after)] = line;
        }
    }

    static size_t index_of(const DiffSide& side, const DiffLine* line) {
        return static_cast<size_t>(line - side.lines.data());
    }

    void add_sites(const DiffedSpace& space) {
        std::vector<DiffTreeSite>& sites = sites_.emplace_back();
        const auto add_side = [&](const DiffSide& side, const std::vector<uint32_t>& nodes,
                                  const std::vector<uint32_t>& lines,
                                  DiffFigures DiffPair::*figures) {
            for (size_t i = 0; i < side.spaces.size(); ++i) {
                if (side.spaces[i].name != space.name) continue;
                for (const DiffStackSite& site : side.stacks->sites[i]) {
                    sites.push_back({nodes[site.node], lines[site.line], 0, false, {}});
                    sites.back().figures.*figures = site.figures;
                }
            }
        };
        add_side(diff_.before, before_nodes_, before_lines_, &DiffPair::before);
        add_side(diff_.after, after_nodes_, after_lines_, &DiffPair::after);
        merge(sites);
        for (DiffTreeSite& site : sites) site.stacks = 1;
    }

    // Adds up what has the same node and line.
    static void merge(std::vector<DiffTreeSite>& sites) {
        const auto place = [](const DiffTreeSite& site) { return std::tie(site.node, site.line); };
        std::stable_sort(sites.begin(), sites.end(),
                         [&](const auto& a, const auto& b) { return place(a) < place(b); });
        std::vector<DiffTreeSite> merged;
        for (const DiffTreeSite& site : sites) {
            if (merged.empty() || place(merged.back()) != place(site)) {
                merged.push_back(site);
                continue;
            }
            DiffTreeSite& sum = merged.back();
            sum.stacks += site.stacks;
            sum.is_folded |= site.is_folded;
            add(sum.figures.before, site.figures.before);
            add(sum.figures.after, site.figures.after);
        }
        sites = std::move(merged);
    }

    void keep_nodes() {
        const std::vector<DiffNode>& calls = calls_.nodes();
        NodeShares shares(calls.size(), [&](uint32_t node) { return calls[node].parent; });
        for (const std::vector<DiffTreeSite>& sites : sites_) {
            for_each_weight([&](const auto& weight) {
                for (const DiffTreeSite& site : sites) {
                    shares.add(site.node, weight(site.figures));
                }
                shares.finish_figure();
            });
        }
        kept_ = largest_shares(shares.shares(), nodes_max_);
        kept_[DiffTreeMaker::root] = true;
        tree_.all_nodes = calls.size();
        kept_nodes_.resize(calls.size());  // those left out: of the caller that is kept
        for (uint32_t node = 0; node < calls.size(); ++node) {
            const uint32_t caller = kept_nodes_[calls[node].parent];
            kept_nodes_[node] = caller;
            if (!kept_[node]) continue;
            kept_nodes_[node] = static_cast<uint32_t>(tree_.nodes.size());
            tree_.nodes.push_back({caller, calls[node].frame});
        }
    }

    void keep_lines() {
        std::vector<float> shares(diff_.lines.size());
        for (const std::vector<DiffTreeSite>& sites : sites_) {
            std::vector<DiffTreeSite> lines(diff_.lines.size());
            for (const DiffTreeSite& site : sites) {
                add(lines[site.line].figures.before, site.figures.before);
                add(lines[site.line].figures.after, site.figures.after);
            }
            raise_shares(shares, lines, [](size_t line) { return line; });
        }
        const std::vector<bool> kept = largest_shares(shares, nodes_max_ / nodes_of_line);
        kept_lines_.resize(kept.size());
        for (uint32_t line = 0; line < kept.size(); ++line) {
            if (!kept[line]) continue;
            kept_lines_[line] = static_cast<uint32_t>(tree_.lines.size());
            tree_.lines.push_back(line);
            const auto& [before, after] = diff_.lines[line];
            const auto frame = frames_.find((after != nullptr ? after : before)->key);
            tree_.line_frames.push_back(frame == frames_.end() ? no_frame : frame->second);
        }
        for (uint32_t line = 0; line < kept.size(); ++line) {
            if (kept[line]) continue;
            kept_lines_[line] = static_cast<uint32_t>(tree_.lines.size());
            tree_.lines_left_out += 1;
        }
    }

    DiffTreeSpace bounded(std::vector<DiffTreeSite> sites) const {
        DiffTreeSpace space;
        for (DiffTreeSite& site : sites) {
            site.is_folded = !kept_[site.node];
            space.stacks += site.stacks;
            if (site.is_folded) space.folded_stacks += site.stacks;
            site.node = kept_nodes_[site.node];
            site.line = kept_lines_[site.line];
        }
        merge(sites);
        space.sites = std::move(sites);
        return space;
    }

    void keep_places(const DiffedSpace& all, DiffTreeSpace& space) const {
        std::vector<float> shares(all.sites.size());
        raise_shares(shares, all.sites, [](size_t place) { return place; });
        const std::vector<bool> kept = largest_shares(shares, nodes_max_ / nodes_of_place);
        for (uint32_t place = 0; place < kept.size(); ++place) {
            if (kept[place]) {
                space.places.push_back(place);
                continue;
            }
            space.places_left_out += 1;
            add(space.left_out.before, all.sites[place].figures.before);
            add(space.left_out.after, all.sites[place].figures.after);
        }
    }

    const Diff& diff_;
    size_t nodes_max_;
    DiffTreeMaker calls_;
    std::unordered_map<std::string, uint32_t> frames_;  // by key
    std::vector<uint32_t> before_nodes_, after_nodes_;  // of a side in `calls_`
    std::vector<uint32_t> before_lines_, after_lines_;  // of a side in Diff::lines
    std::vector<std::vector<DiffTreeSite>> sites_;      // by space, before anything is left out
    std::vector<bool> kept_;                            // by node of `calls_`
    std::vector<uint32_t> kept_nodes_, kept_lines_;     // where it is now
    DiffTree tree_;
};

}  // namespace

DiffTree make_diff_tree(const Diff& diff, size_t nodes_max) { return Maker(diff, nodes_max).run(); }

}  // namespace memtrace::analyzer
