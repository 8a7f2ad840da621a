// SPDX-License-Identifier: Apache-2.0
//
// A node belongs to the row of its caller, unless its own location changes that. Callers have
// smaller numbers, so one pass over the nodes gives each its row.
#include "analyzer/sites/own_lines.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/base/paths.h"
#include "analyzer/frames/frame_facts.h"
#include "analyzer/frames/import_frames.h"
#include "analyzer/sites/own_places.h"

namespace memtrace::analyzer {

namespace {

using Kind = OwnRow::Kind;
using RowId = uint32_t;

constexpr RowId no_row = 0xffffffff;

// How well a library row says which code allocated. Of the callers in a stack, the outermost with
// the highest worth names it.
enum class Worth : uint8_t { nothing, interpreter, python, library };

struct Row {
    OwnRow shown;
    RowId counts_for = no_row;  // the row that gets the memory of this one
    bool is_foreign = false;    // line: see OwnPlace
    bool is_thread = false;     // library: outside of it is only the start of a thread
    Worth worth = Worth::nothing;
    RowId importing = no_row;  // line, backward: the import at this line whose package is unknown
    // Of such an import: the packages that were imported there, and the files of own code.
    std::set<std::string> packages;
    std::set<std::string> own_files;
};

class Builder {
public:
    explicit Builder(const Recording& recording)
        : recording_(recording),
          symbols_(recording.symbols),
          places_(find_own_places(recording)),
          facts_(facts_of(recording.symbols)) {
        no_stack_ = library("no stack was recorded", Worth::library, false);
        unknown_ = library("the C and C++ libraries", Worth::nothing, false);
        thread_ = library("threads", Worth::nothing, true);
        const std::string& interpreter = places_.names[OwnPlaces::interpreter];
        interpreter_ = library(interpreter, Worth::interpreter, false);
        python_ = add_row(Kind::library, no_frame, interpreter);
        rows_[python_].worth = Worth::python;
        rows_[python_].counts_for = interpreter_;
    }

    OwnLines run(bool with_sites) {
        read_places();
        assign_nodes();
        name_imports();
        return sum_up(with_sites);
    }

private:
    // ---- rows

    RowId add_row(Kind kind, FrameId frame, std::string name) {
        const auto id = static_cast<RowId>(rows_.size());
        Row& row = rows_.emplace_back();
        row.shown = {kind, frame, std::move(name)};
        row.counts_for = id;
        return id;
    }

    RowId library(const std::string& name, Worth worth, bool is_thread, FrameId frame = no_frame) {
        const auto [entry, is_new] = libraries_.try_emplace(name, no_row);
        if (!is_new) return entry->second;
        entry->second = add_row(Kind::library, frame, name);
        rows_[entry->second].worth = worth;
        rows_[entry->second].is_thread = is_thread;
        return entry->second;
    }

    // kind, function, file, line, module
    using Line = std::tuple<Kind, std::string, std::string, uint32_t, std::string>;

    static bool has_name(const Frame& frame) { return frame.named || !frame.file.empty(); }

    Line line_of(FrameId id, Kind kind) const {
        const Frame& frame = symbols_.frames[id];
        if (!has_name(frame)) return {kind, "", "", 0, frame.module};
        return {kind, frame.function, frame.file, frame.line, frame.module};
    }

    // Returns the row of a line of own code, or of a file of code without names.
    RowId line(FrameId id, Kind kind) {
        const auto [entry, is_new] = lines_.try_emplace(line_of(id, kind), no_row);
        if (is_new) {
            const Frame& frame = symbols_.frames[id];
            entry->second = add_row(kind, facts_->lines[id], has_name(frame) ? "" : frame.module);
        }
        return entry->second;
    }

    bool is_line(RowId id) const {
        return rows_[id].shown.kind == Kind::line || rows_[id].shown.kind == Kind::backward;
    }
    bool is_unnamed_import(RowId id) const {
        return rows_[id].shown.kind == Kind::import && rows_[id].shown.name.empty();
    }

    // Returns the row of an import at the line of `importer`. Its package is not known yet.
    RowId import_at(RowId importer) {
        if (rows_[importer].importing == no_row) {
            const RowId id = add_row(Kind::import, rows_[importer].shown.frame, "");
            rows_[importer].importing = id;
        }
        return rows_[importer].importing;
    }

    // Returns the row of a package that was imported at the line of `unnamed`.
    RowId package(RowId unnamed, const std::string& name) {
        const auto [entry, is_new] = packages_.try_emplace({unnamed, name}, no_row);
        if (is_new) {
            entry->second = add_row(Kind::import, rows_[unnamed].shown.frame, name);
            rows_[unnamed].packages.insert(name);
        }
        return entry->second;
    }

    // Returns the row of a stack that came from the library row `above` into `inner`.
    RowId join(RowId above, RowId inner) {
        if (rows_[inner].worth <= rows_[above].worth) return above;
        if (!rows_[above].is_thread || rows_[inner].worth != Worth::library) return inner;
        const auto [entry, is_new] = threads_.try_emplace(inner, no_row);
        if (is_new) {
            const std::string name = "threads of " + rows_[inner].shown.name;
            entry.value() = library(name, Worth::library, true);
        }
        return entry->second;
    }

    // ---- places

    void read_places() {
        rows_of_locations_.assign(places_.of_locations.size(), no_row);
        for (size_t i = 0; i < rows_of_locations_.size(); ++i) {
            rows_of_locations_[i] = row_of(places_.of_locations[i]);
        }
    }

    RowId row_of(const OwnPlace& place) {
        switch (place.kind) {
            case OwnPlace::Kind::none: return no_row;
            case OwnPlace::Kind::own: {
                const RowId id = line(place.frame, Kind::line);
                rows_[id].is_foreign = place.is_foreign;
                return id;
            }
            case OwnPlace::Kind::backward:
                return place.frame == no_frame ? no_row : line(place.frame, Kind::backward);
            case OwnPlace::Kind::importing: return python_;
            case OwnPlace::Kind::kept:
                return library(symbols_.frames[place.frame].function, Worth::library, false,
                               place.frame);
            case OwnPlace::Kind::library: break;
        }
        if (place.library != OwnPlaces::interpreter) {
            return library(places_.names[place.library], Worth::library, false);
        }
        return place.is_python ? python_ : interpreter_;
    }

    // ---- nodes

    void assign_nodes() {
        const StackNodes& nodes = symbols_.nodes;
        rows_of_nodes_.assign(nodes.size(), no_stack_);
        for (uint32_t node = 1; node < nodes.size(); ++node) {
            const uint32_t parent = nodes.parent(node);
            const uint32_t location = nodes.location_of(node);
            const OwnPlace& place = places_.of_locations[location];
            const bool is_root = !symbols_.has(parent);
            RowId above = is_root ? unknown_ : rows_of_nodes_[parent];
            if (is_root && place.can_start_thread) above = thread_;
            rows_of_nodes_[node] = place.kind == OwnPlace::Kind::none
                                       ? above
                                       : next(node, above, place, rows_of_locations_[location]);
        }
    }

    RowId next(uint32_t node, RowId above, const OwnPlace& place, RowId here) {
        switch (place.kind) {
            case OwnPlace::Kind::none: return above;
            case OwnPlace::Kind::own: return own(above, place, here);
            case OwnPlace::Kind::backward: return backward(node, above, here);
            case OwnPlace::Kind::kept: return here;
            case OwnPlace::Kind::importing:
                if (is_line(above)) return import_at(above);
                break;
            case OwnPlace::Kind::library:
                if (!is_unnamed_import(above) || place.package == OwnPlaces::no_name) break;
                return package(above, places_.names[place.package]);
        }
        return rows_[above].shown.kind == Kind::library ? join(above, here) : above;
    }

    RowId own(RowId above, const OwnPlace& place, RowId here) {
        if (place.begins_module && is_unnamed_import(above) && !place.is_foreign) {
            rows_[above].own_files.insert(symbols_.frames[place.frame].file);
        }
        if (!place.is_foreign) return here;
        const Row& caller = rows_[above];
        const bool has_better =
            caller.shown.kind == Kind::import || (is_line(above) && !caller.is_foreign);
        // Code that libraries of Python compile from strings is theirs.
        const bool is_theirs = place.is_python && caller.worth >= Worth::python;
        return has_better || is_theirs ? above : here;
    }

    // Without an own line in its name, the line that went forward is that of the forward stack.
    RowId backward(uint32_t node, RowId above, RowId here) {
        if (here != no_row) return here;
        const auto forward = symbols_.forwards.find(node);
        if (forward == symbols_.forwards.end()) return above;
        if (!symbols_.has(forward->second) || forward->second >= node) return above;
        const RowId went = rows_of_nodes_[forward->second];
        return is_line(went) ? line(rows_[went].shown.frame, Kind::backward) : above;
    }

    // ---- the end

    // If one package was imported at a line, whatever the import took there is of that package.
    void name_imports() {
        for (RowId id = 0; id < rows_.size(); ++id) {
            if (!is_unnamed_import(id)) continue;
            std::set<std::string> names = rows_[id].packages;
            names.merge(own_packages(rows_[id].own_files));
            if (names.size() != 1) continue;
            const RowId named = package(id, *names.begin());
            rows_[id].counts_for = named;
        }
    }

    // Returns the packages of files. A file in the folder of one of the packages is part of it.
    static std::set<std::string> own_packages(const std::set<std::string>& files) {
        std::set<std::string> names, outer;
        for (const std::string& file : files) names.insert(top_package(file));
        for (const std::string& file : files) {
            const std::string folder = base_name(file.substr(0, file.rfind('/')));
            outer.insert(names.contains(folder) ? folder : top_package(file));
        }
        outer.erase("");
        return outer;
    }

    RowId row_of_site(const Site& site) const {
        const RowId id = symbols_.has(site.stack) ? rows_of_nodes_[site.stack] : no_stack_;
        return rows_[id].counts_for;
    }

    OwnLines sum_up(bool with_sites) {
        const std::vector<Space>& spaces = recording_.model.spaces;
        std::vector<std::vector<Totals>> totals;
        std::vector<bool> is_used(rows_.size());
        for (const Space& space : spaces) {
            std::vector<Totals>& of_space = totals.emplace_back(rows_.size());
            for (const Site& site : space.sites) {
                const RowId counted = row_of_site(site);
                is_used[counted] = true;
                add(of_space[counted], site.totals);
            }
        }
        OwnLines lines;
        lines.totals.resize(spaces.size());
        std::vector<uint32_t> shown_as(rows_.size());  // by RowId: index into OwnLines::rows
        for (const std::vector<RowId>& group : groups(is_used, totals)) {
            for (const RowId id : group) shown_as[id] = static_cast<uint32_t>(lines.rows.size());
            lines.rows.push_back(rows_[group.front()].shown);
            for (size_t space = 0; space < spaces.size(); ++space) {
                Totals& sum = lines.totals[space].emplace_back();
                for (const RowId id : group) add(sum, totals[space][id]);
            }
        }
        if (!with_sites) return lines;
        for (const Space& space : spaces) {
            std::vector<uint32_t>& rows = lines.of_sites.emplace_back();
            for (const Site& site : space.sites) rows.push_back(shown_as[row_of_site(site)]);
        }
        return lines;
    }

    // Returns the used rows in an order that depends on their names alone. Imports of one package
    // are one group; the line that took most of it comes first.
    std::vector<std::vector<RowId>> groups(const std::vector<bool>& is_used,
                                           const std::vector<std::vector<Totals>>& totals) const {
        std::map<std::pair<Line, std::string>, std::vector<RowId>> found;
        for (RowId id = 0; id < rows_.size(); ++id) {
            if (!is_used[id]) continue;
            const OwnRow& row = rows_[id].shown;
            const bool has_line =
                row.frame != no_frame && (row.kind != Kind::import || row.name.empty());
            const Line line =
                has_line ? line_of(row.frame, row.kind) : Line{row.kind, "", "", 0, ""};
            found[{line, row.name}].push_back(id);
        }
        const auto order_of = [&](RowId id) {
            uint64_t bytes = 0;
            for (const std::vector<Totals>& of_space : totals)
                bytes += of_space[id].allocated_bytes;
            return std::pair(UINT64_MAX - bytes, line_of(rows_[id].shown.frame, Kind::import));
        };
        std::vector<std::vector<RowId>> groups;
        for (auto& [key, ids] : found) {
            if (ids.size() > 1) {
                std::sort(ids.begin(), ids.end(),
                          [&](RowId a, RowId b) { return order_of(a) < order_of(b); });
            }
            groups.push_back(std::move(ids));
        }
        return groups;
    }

    const Recording& recording_;
    const Symbols& symbols_;
    OwnPlaces places_;
    std::shared_ptr<const FrameFacts> facts_;
    std::vector<Row> rows_;
    RowId no_stack_, unknown_, thread_, interpreter_, python_;
    std::map<Line, RowId> lines_;
    std::map<std::pair<RowId, std::string>, RowId> packages_;  // by import and name
    std::unordered_map<std::string, RowId> libraries_;
    tsl::robin_map<RowId, RowId, NumberHash> threads_;  // of a library, by its row
    std::vector<RowId> rows_of_locations_;
    std::vector<RowId> rows_of_nodes_;
};

}  // namespace

OwnLines find_own_lines(const Recording& recording, bool with_sites) {
    return Builder(recording).run(with_sites);
}

const OwnRow* row_of_all(const Model& model, const OwnLines& lines, const std::string& space,
                         const std::vector<uint32_t>& sites) {
    const auto found = std::ranges::find(model.spaces, space, &Space::name);
    if (found == model.spaces.end() || sites.empty()) return nullptr;
    const auto& rows = lines.of_sites[static_cast<size_t>(found - model.spaces.begin())];
    const uint32_t row = rows[sites[0]];
    const bool is_one =
        std::ranges::all_of(sites, [&](uint32_t site) { return rows[site] == row; });
    return is_one ? &lines.rows[row] : nullptr;
}

std::vector<UntouchedRow> untouched_rows(const Model& model, const OwnLines& lines) {
    const auto mmap = std::ranges::find(model.spaces, "mmap", &Space::name);
    if (mmap == model.spaces.end() || !model.host.at_end) return {};
    const auto& row_of = lines.of_sites[static_cast<size_t>(mmap - model.spaces.begin())];
    std::map<uint32_t, uint32_t> rows_of_stacks;
    for (uint32_t i = 0; i < mmap->sites.size(); ++i)
        rows_of_stacks.emplace(mmap->sites.stack(i), row_of[i]);
    std::map<uint32_t, UntouchedRow> rows;
    for (const HostUntouched& one : model.host.at_end->untouched) {
        const auto found = rows_of_stacks.find(one.stack);
        if (found == rows_of_stacks.end()) continue;
        UntouchedRow& row = rows[found->second];
        row.row = &lines.rows[found->second];
        row.mapped += one.mapped;
        row.resident += one.resident;
    }
    std::vector<UntouchedRow> sorted;
    for (const auto& [index, row] : rows) sorted.push_back(row);
    std::ranges::stable_sort(sorted, std::greater<>(),
                             [](const UntouchedRow& row) { return row.mapped - row.resident; });
    return sorted;
}

}  // namespace memtrace::analyzer
