// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_page.h"

#include <array>
#include <utility>
#include <vector>

#include "analyzer/base/units.h"
#include "analyzer/diff/diff_tree.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/page/page_file.h"
#include "analyzer/page/page_names.h"
#include "analyzer/page/page_run.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/sites/site_key.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t row_width = 400;  // The page cuts names where they have no room.
constexpr size_t name_width = 400;
constexpr size_t title_width = 60;

struct Column {
    const char* name;
    uint64_t DiffFigures::*figure;
};
constexpr std::array columns{
    Column{"peak", &DiffFigures::peak_bytes},
    Column{"peak_blocks", &DiffFigures::peak_blocks},
    Column{"held", &DiffFigures::held_bytes},
    Column{"held_blocks", &DiffFigures::held_blocks},
    Column{"allocated", &DiffFigures::allocated_bytes},
    Column{"calls", &DiffFigures::allocations},
    Column{"step", &DiffFigures::step_bytes},
    Column{"step_calls", &DiffFigures::step_allocations},
};

Json figures_json(const DiffFigures& figures) {
    Json json;
    for (const Column& column : columns) json[column.name] = figures.*column.figure;
    return json;
}

// A column for each figure of each side, with an element for each pair.
class PairColumns {
public:
    void add(const DiffPair& pair) {
        for (const Column& column : columns) {
            before_[column.name].push_back(pair.before.*column.figure);
            after_[column.name].push_back(pair.after.*column.figure);
        }
    }
    Json before() const { return of(before_); }
    Json after() const { return of(after_); }

private:
    static Json of(const Json& side) {
        if (!side.is_null()) return side;
        Json empty;
        for (const Column& column : columns) empty[column.name] = Json::array();
        return empty;
    }

    Json before_, after_;
};

const char* status_of(bool has_before, bool has_after) {
    return !has_before ? "new" : has_after ? "both" : "gone";
}

class Writer {
public:
    Writer(const Diff& diff, const DiffTree& tree, const PageOptions& options)
        : diff_(diff), tree_(tree), options_(options) {}

    Json run(const DiffPageSide& before, const DiffPageSide& after) {
        Json json{{"kind", "diff"},
                  {"before", side_json(diff_.before, before)},
                  {"after", side_json(diff_.after, after)},
                  {"same_program", diff_.before.program == diff_.after.program},
                  {"has_steps", diff_.has_steps},
                  {"why_other_steps", diff_.why_other_steps},
                  {"nothing", shown(diff_.nothing())},
                  {"differs", diff_.differs()},
                  {"nodes", nodes_json()},
                  {"rows", rows_json()},
                  {"spaces", Json::array()}};
        for (size_t i = 0; i < diff_.spaces.size(); ++i) {
            json["spaces"].push_back(space_json(diff_.spaces[i], tree_.spaces[i]));
        }
        json.update(frames_.json());
        return json;
    }

private:
    std::string shown(const std::string& text) const {
        return options_.short_paths ? with_short_paths(text) : text;
    }

    Json side_json(const DiffSide& side, const DiffPageSide& page) const {
        const Json steps = side.steps ? Json{{"count", side.steps->count},
                                             {"of", cut_middle(side.steps->name, name_width)}}
                                      : Json(nullptr);
        return {{"program", page.program},          {"remarks", page.remarks},
                {"incomplete", side.is_incomplete}, {"only", shown(side.selection)},
                {"nothing", shown(side.nothing)},   {"steps", steps}};
    }

    Json nodes_json() {
        std::vector<uint32_t> shown;
        for (const ShownFrame& frame : tree_.frames) shown.push_back(frames_.add(frame));
        Json parents = Json::array(), frames = Json::array();
        for (size_t node = 0; node < tree_.nodes.size(); ++node) {
            parents.push_back(tree_.nodes[node].parent);
            frames.push_back(node == 0 ? Json(-1) : Json(shown[tree_.nodes[node].frame]));
        }
        return {
            {"parent", std::move(parents)}, {"frame", std::move(frames)}, {"all", tree_.all_nodes}};
    }

    std::string row_text(const DiffSide& side, const DiffLine& line) const {
        return shown(own_row_text(side.names, line.row, row_width));
    }

    static uint32_t line_of(const DiffSide& side, const DiffLine& line) {
        return line.row.frame == no_frame ? 0 : side.names.frames[line.row.frame].line;
    }

    // A line that both have is named as it is now.
    Json rows_json() const {
        static constexpr std::array kinds{"line", "backward", "import", "library"};
        Json json = Json::array();
        for (size_t i = 0; i < tree_.lines.size(); ++i) {
            const auto& [before, after] = diff_.lines[tree_.lines[i]];
            const bool is_gone = after == nullptr;
            const DiffLine& known = is_gone ? *before : *after;
            Json row{{"kind", kinds[static_cast<size_t>(known.row.kind)]},
                     {"name", row_text(is_gone ? diff_.before : diff_.after, known)},
                     {"status", status_of(before != nullptr, after != nullptr)}};
            if (tree_.line_frames[i] != no_frame) {
                row["frame"] = tree_.line_frames[i];
                row["line"] = line_of(is_gone ? diff_.before : diff_.after, known);
            }
            if (before != nullptr && !is_gone) {
                const std::string was = row_text(diff_.before, *before);
                if (was != row["name"]) row["was"] = was;
            }
            if (before != nullptr && !before->source.empty()) row["before"] = before->source;
            if (after != nullptr && !after->source.empty()) row["after"] = after->source;
            json.push_back(std::move(row));
        }
        if (tree_.lines_left_out != 0) {
            json.push_back({{"kind", "rest"},
                            {"name", counted(tree_.lines_left_out, "line") + " more, each small"},
                            {"status", "both"}});
        }
        return json;
    }

    Json space_json(const DiffedSpace& space, const DiffTreeSpace& page) {
        return {{"name", space.name},
                {"is_estimate", space.is_estimate},
                {"interval", space.interval},
                {"before", figures_json(space.totals.before)},
                {"after", figures_json(space.totals.after)},
                {"stacks", page.stacks},
                {"folded_stacks", page.folded_stacks},
                {"sites", sites_json(page)},
                {"places", places_json(space, page)}};
    }

    static Json sites_json(const DiffTreeSpace& page) {
        Json nodes = Json::array(), rows = Json::array(), stacks = Json::array();
        Json folded = Json::array();
        PairColumns figures;
        for (const DiffTreeSite& site : page.sites) {
            nodes.push_back(site.node);
            rows.push_back(site.line);
            stacks.push_back(site.stacks);
            folded.push_back(site.is_folded ? 1 : 0);
            figures.add(site.figures);
        }
        return {{"node", std::move(nodes)},    {"row", std::move(rows)},
                {"stacks", std::move(stacks)}, {"folded", std::move(folded)},
                {"before", figures.before()},  {"after", figures.after()}};
    }

    // Call sites by their keys, whose parts are texts of the page.
    Json places_json(const DiffedSpace& space, const DiffTreeSpace& page) {
        Json names = Json::array(), statuses = Json::array();
        PairColumns figures;
        for (const uint32_t index : page.places) {
            const DiffedSite& site = space.sites[index];
            names.push_back(key_json((site.after != nullptr ? site.after : site.before)->key));
            statuses.push_back(status_of(site.before != nullptr, site.after != nullptr));
            figures.add(site.figures);
        }
        if (page.places_left_out != 0) {
            names.push_back(
                {frames_.text(counted(page.places_left_out, "call site") + " more, each small")});
            statuses.push_back("both");
            figures.add(page.left_out);
        }
        return {{"name", std::move(names)},
                {"status", std::move(statuses)},
                {"before", figures.before()},
                {"after", figures.after()}};
    }

    Json key_json(const std::string& key) {
        Json parts = Json::array();
        for (const std::string_view part : parts_of_key(key)) {
            parts.push_back(frames_.text(cut_middle(std::string(part), name_width)));
        }
        return parts;
    }

    const Diff& diff_;
    const DiffTree& tree_;
    const PageOptions& options_;
    PageFrames frames_;
};

std::string title_of(const Diff& diff, const PageOptions& options) {
    if (!options.with_command) return "two recordings compared – memtrace";
    const auto name = [](const DiffSide& side) { return cut_middle(side.program, title_width); };
    const std::string before = name(diff.before), after = name(diff.after);
    return (before == after ? after : before + " and " + after) + " compared – memtrace";
}

}  // namespace

DiffPageSide make_diff_page_side(const Recording& recording, const PageOptions& options) {
    const PageNames names(recording, options);
    return {page_program_json(recording, names, options), page_remarks_json(recording, options)};
}

DiffPage make_diff_page(const Diff& diff, const DiffPageSide& before, const DiffPageSide& after,
                        const PageBundle& bundle, const PageOptions& options) {
    require_bundle(bundle);
    DiffPage page;
    page.html = bounded_page(options.bytes_max, [&](size_t nodes) {
        const DiffTree tree = make_diff_tree(diff, nodes);
        page.stacks = page.folded_stacks = 0;
        for (const DiffTreeSpace& space : tree.spaces) {
            page.stacks += space.stacks;
            page.folded_stacks += space.folded_stacks;
        }
        Json data = Writer(diff, tree, options).run(before, after);
        return page_file(title_of(diff, options), bundle, page_json(std::move(data)));
    });
    return page;
}

}  // namespace memtrace::analyzer
