// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_json.h"

#include <array>
#include <string>

#include "analyzer/base/json_text.h"

namespace memtrace::analyzer {

namespace {

struct Column {
    const char* name;
    uint64_t DiffFigures::*figure;
};
constexpr std::array columns{
    Column{"at_peak_bytes", &DiffFigures::peak_bytes},
    Column{"at_peak_blocks", &DiffFigures::peak_blocks},
    Column{"held_bytes", &DiffFigures::held_bytes},
    Column{"held_blocks", &DiffFigures::held_blocks},
    Column{"allocated_bytes", &DiffFigures::allocated_bytes},
    Column{"allocations", &DiffFigures::allocations},
    Column{"steps_allocated_bytes", &DiffFigures::step_bytes},
    Column{"steps_allocations", &DiffFigures::step_allocations},
};

bool is_of_steps(const Column& column) {
    return column.figure == &DiffFigures::step_bytes ||
           column.figure == &DiffFigures::step_allocations;
}

// Figures of steps that are not compared are null.
Json figures_json(const Diff& diff, const DiffFigures& figures) {
    Json json;
    for (const Column& column : columns) {
        const bool has = diff.has_steps || !is_of_steps(column);
        json[column.name] = has ? Json(figures.*column.figure) : Json(nullptr);
    }
    return json;
}

// Differences are exact as long as both values are below 2^63.
Json change_json(const Diff& diff, const DiffPair& pair) {
    Json json;
    for (const Column& column : columns) {
        if (!diff.has_steps && is_of_steps(column)) json[column.name] = nullptr;
        else
            json[column.name] =
                static_cast<int64_t>(pair.after.*column.figure - pair.before.*column.figure);
    }
    return json;
}

Json side_json(const DiffSide& side) {
    const Json steps =
        side.steps ? Json{{"count", side.steps->count}, {"of", side.steps->name}} : Json(nullptr);
    return {{"dump", side.path},
            {"program", side.program},
            {"command", side.process.command},
            {"pid", side.process.pid},
            {"duration_ns", side.process.duration_ns},
            {"end", side.process.end},
            {"events", side.events},
            {"incomplete", side.is_incomplete},
            {"only", side.selection},
            {"steps", steps}};
}

const char* status_of(const auto& part) {
    if (part.before == nullptr) return "new";
    if (part.after == nullptr) return "gone";
    return part.figures.differs() ? "changed" : "same";
}

Json line_json(const Diff& diff, const DiffSide& side, const DiffLine* line,
               const DiffFigures& figures) {
    if (line == nullptr) return nullptr;
    Json json;
    if (line->row.frame != no_frame) {
        const Frame& frame = side.names.frames[line->row.frame];
        json = {{"function", frame.function}, {"file", frame.file}, {"line", frame.line}};
    }
    json.update(figures_json(diff, figures));
    return json;
}

Json site_json(const Diff& diff, const DiffSite* site) {
    if (site == nullptr) return nullptr;
    Json json{
        {"function", site->place.function}, {"file", site->place.file}, {"line", site->place.line}};
    json.update(figures_json(diff, site->figures));
    return json;
}

Json spaces_json(const Diff& diff) {
    Json json = Json::object();
    for (const DiffedSpace& space : diff.spaces) {
        json[space.name] = {
            {"is_estimate", space.is_estimate},
            {"sample_interval", space.interval == 0 ? Json(nullptr) : Json(space.interval)},
            {"before", figures_json(diff, space.totals.before)},
            {"after", figures_json(diff, space.totals.after)},
            {"change", change_json(diff, space.totals)}};
    }
    return json;
}

}  // namespace

void write_diff_json(const Diff& diff, const std::function<void(std::string_view)>& write) {
    static constexpr std::array kinds{"own", "backward", "import", "library"};
    const Json head{{"schema", 1},
                    {"before", side_json(diff.before)},
                    {"after", side_json(diff.after)},
                    {"same_program", diff.before.program == diff.after.program},
                    {"differs", diff.differs()},
                    {"steps_compared", diff.has_steps},
                    {"spaces", spaces_json(diff)}};
    std::string text = json_text(head, 2);
    text.resize(text.rfind("\n}"));
    write(text + ",\n  \"own_lines\": [");
    const char* comma = "\n    ";
    const auto write_entry = [&](const Json& json) {
        write(comma + json_text(json));
        comma = ",\n    ";
    };
    for (const DiffedSpace& space : diff.spaces) {
        for (const DiffedLine& line : space.lines) {
            const DiffLine& known = line.after != nullptr ? *line.after : *line.before;
            write_entry({{"space", space.name},
                         {"kind", kinds[static_cast<size_t>(known.row.kind)]},
                         {"key", known.key},
                         {"status", status_of(line)},
                         {"before", line_json(diff, diff.before, line.before, line.figures.before)},
                         {"after", line_json(diff, diff.after, line.after, line.figures.after)}});
        }
    }
    write("\n  ],\n  \"sites\": [");
    comma = "\n    ";
    for (const DiffedSpace& space : diff.spaces) {
        for (const DiffedSite& site : space.sites) {
            const DiffSite& known = site.after != nullptr ? *site.after : *site.before;
            write_entry({{"space", space.name},
                         {"key", known.key},
                         {"status", status_of(site)},
                         {"before", site_json(diff, site.before)},
                         {"after", site_json(diff, site.after)}});
        }
    }
    write("\n  ]\n}\n");
}

}  // namespace memtrace::analyzer
