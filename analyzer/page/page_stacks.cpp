// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_stacks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/model/measure.h"
#include "analyzer/page/page_share.h"
#include "analyzer/page/page_tree.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t nodes_of_row = 8;  // A page has a row for so many nodes.
constexpr std::array measures{Measure::at_peak,   Measure::held,     Measure::leaked,
                              Measure::allocated, Measure::own_peak, Measure::allocations,
                              Measure::temporary};

std::vector<float> shares_of(const Model& model, const PageTree& tree,
                             const std::vector<std::vector<uint32_t>>& nodes_of_sites) {
    NodeShares shares(tree.size(), [&](uint32_t node) { return tree.parent(node); });
    for (size_t space = 0; space < model.spaces.size(); ++space) {
        const Sites& sites = model.spaces[space].sites;
        for (const Measure measure : measures) {
            for (size_t i = 0; i < sites.size(); ++i) {
                const uint64_t value = value_of(sites.totals(i), measure);
                shares.add(nodes_of_sites[space][i], static_cast<double>(value));
            }
            shares.finish_figure();
        }
    }
    return shares.shares();
}

// Returns the share of each row of the user's own lines.
std::vector<float> shares_of(const OwnLines& lines) {
    std::vector<float> shares(lines.rows.size());
    for (const std::vector<Totals>& rows : lines.totals) {
        for (const Measure measure : measures) {
            double whole = 0;
            for (const Totals& row : rows) whole += static_cast<double>(value_of(row, measure));
            if (whole == 0) continue;
            for (size_t row = 0; row < rows.size(); ++row) {
                const double part = static_cast<double>(value_of(rows[row], measure)) / whole;
                shares[row] = std::max(shares[row], static_cast<float>(part));
            }
        }
    }
    return shares;
}

// Chooses the rows of the page. Returns for each row of `lines` that of the page.
std::vector<uint32_t> choose_rows(const OwnLines& lines, size_t most, PageStacks& page) {
    const std::vector<bool> kept = largest_shares(shares_of(lines), most);
    std::vector<uint32_t> rows(lines.rows.size());
    for (uint32_t row = 0; row < rows.size(); ++row) {
        if (!kept[row]) continue;
        rows[row] = static_cast<uint32_t>(page.rows.size());
        page.rows.push_back(row);
    }
    for (uint32_t row = 0; row < rows.size(); ++row) {
        if (kept[row]) continue;
        rows[row] = static_cast<uint32_t>(page.rows.size());
        page.rows_left_out += 1;
    }
    return rows;
}

// Adds up the histories of sites.
class HistorySum {
public:
    explicit HistorySum(size_t slices) : changes_(slices) {}

    void add(const SiteHistory& history) {
        HeldPoint before;
        for (const HeldPoint& point : history.held) {
            if (point.slice >= changes_.size()) continue;
            HeldPoint& change = changes_[point.slice];
            // Differences may be negative, modulo 2^64.
            change.bytes += point.bytes - before.bytes;
            change.blocks += point.blocks - before.blocks;
            change.allocations += point.allocations - before.allocations;
            change.allocated_bytes += point.allocated_bytes - before.allocated_bytes;
            before = point;
        }
    }

    std::vector<HeldPoint> take() {
        std::vector<HeldPoint> points;
        HeldPoint sum;
        for (uint32_t slice = 0; slice < changes_.size(); ++slice) {
            const HeldPoint change = std::exchange(changes_[slice], {});
            const uint64_t any =
                change.bytes | change.blocks | change.allocations | change.allocated_bytes;
            if (any == 0) continue;
            sum.slice = slice;
            sum.bytes += change.bytes;
            sum.blocks += change.blocks;
            sum.allocations += change.allocations;
            sum.allocated_bytes += change.allocated_bytes;
            points.push_back(sum);
        }
        return points;
    }

private:
    std::vector<HeldPoint> changes_;
};

// Where a recorded site is on the page.
struct Place {
    uint32_t node;
    uint32_t row;
    uint32_t site;
    bool is_folded;
};

PageSpace merge(const Model& model, const Space& space, std::vector<Place> places) {
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::pair(a.node, a.row) < std::pair(b.node, b.row);
    });
    PageSpace merged;
    merged.of_sites.resize(places.size());
    HistorySum history(model.slices.slices.size());
    for (size_t i = 0; i < places.size(); ++i) {
        const Place& place = places[i];
        const bool is_new =
            i == 0 || place.node != places[i - 1].node || place.row != places[i - 1].row;
        if (is_new) {
            if (!merged.sites.empty()) merged.sites.back().held = history.take();
            merged.sites.push_back({place.node, place.row, 0, false, {}, {}});
        }
        merged.of_sites[place.site] = static_cast<uint32_t>(merged.sites.size() - 1);
        PageSite& site = merged.sites.back();
        const Totals totals = space.sites.totals(place.site);
        site.stacks += 1;
        add(site.totals, totals);
        if (place.is_folded) {
            site.is_folded = true;
            merged.folded_stacks += 1;
            merged.folded_at_peak += totals.at_peak_bytes;
        }
        if (!space.histories.empty()) history.add(space.histories[place.site]);
    }
    if (!merged.sites.empty()) merged.sites.back().held = history.take();
    return merged;
}

}  // namespace

PageSiteNumbers::PageSiteNumbers(const Space& space, const PageSpace& page) {
    for (size_t i = 0; i < space.numbers.size(); ++i) {
        const uint32_t number = space.numbers[i];
        if (number >= sites_.size()) sites_.resize(size_t{number} + 1, none);
        sites_[number] = page.of_sites[i];
    }
}

PageStacks make_page_stacks(const Recording& recording, const OwnLines& lines,
                            const StackView& view, size_t nodes_max) {
    const Model& model = recording.model;
    const PageTree tree(model, view);
    std::vector<std::vector<uint32_t>> nodes_of_sites;
    for (const Space& space : model.spaces) {
        std::vector<uint32_t>& nodes = nodes_of_sites.emplace_back();
        for (const Site& site : space.sites) nodes.push_back(tree.node_of(site.stack));
    }
    std::vector<bool> kept = largest_shares(shares_of(model, tree, nodes_of_sites), nodes_max);
    kept[PageTree::root] = true;
    PageStacks page;
    page.all_nodes = tree.size();
    std::vector<uint32_t> page_nodes(tree.size());  // those left out: of the caller that is kept
    for (uint32_t node = 0; node < tree.size(); ++node) {
        const uint32_t caller = page_nodes[tree.parent(node)];
        page_nodes[node] = caller;
        if (!kept[node]) continue;
        page_nodes[node] = static_cast<uint32_t>(page.nodes.size());
        page.nodes.push_back({caller, tree.frame(node)});
    }
    const std::vector<uint32_t> rows = choose_rows(lines, nodes_max / nodes_of_row, page);
    for (size_t i = 0; i < model.spaces.size(); ++i) {
        std::vector<Place> places;
        for (uint32_t site = 0; site < nodes_of_sites[i].size(); ++site) {
            const uint32_t node = nodes_of_sites[i][site];
            places.push_back({page_nodes[node], rows[lines.of_sites[i][site]], site, !kept[node]});
        }
        page.spaces.push_back(merge(model, model.spaces[i], std::move(places)));
    }
    return page;
}

}  // namespace memtrace::analyzer
