// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_json.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "analyzer/training/report_training_steps.h"

namespace memtrace::analyzer {
namespace {

// Of the page.
constexpr size_t lines_max = 6;
constexpr size_t modules_max = 40;
constexpr size_t text_width = 120;

// How much of a training is written, and for whom.
struct Extent {
    size_t lines = std::numeric_limits<size_t>::max();
    size_t modules = std::numeric_limits<size_t>::max();
    bool for_people = false;
};
constexpr Extent of_page{.lines = lines_max, .modules = modules_max, .for_people = true};

Json sum_json(const KindSum& sum) { return {{"bytes", sum.bytes}, {"blocks", sum.blocks}}; }

Json row_json(const SiteRows& rows, uint32_t row, const Extent& extent) {
    Json json = rows.json(row);
    if (extent.for_people) json["text"] = rows.text(row, text_width);
    return json;
}

Json row_json(const SiteRows& rows, std::optional<uint32_t> row, const Extent& extent) {
    return row ? row_json(rows, *row, extent) : Json(nullptr);
}

// Returns the kinds that have bytes, by their words.
Json kinds_json(const KindBytes& bytes) {
    Json kinds = Json::object();
    for (size_t kind = 0; kind < bytes.size(); ++kind) {
        if (bytes[kind] == 0) continue;
        kinds[std::string(name_of(static_cast<TrainingKind>(kind)).word)] = bytes[kind];
    }
    return kinds;
}

Json steps_json(const StepTable& steps) {
    Json rows = Json::array();
    for (const StepRow& row : steps.rows) {
        rows.push_back({{"step", row.step},
                        {"bytes_at_end", kinds_json(row.at_end)},
                        {"most_bytes", row.most},
                        {"made_bytes", row.made},
                        {"given_back_bytes", row.released}});
    }
    Json grown = Json::array();
    for (const KindGrowth& one : steps.grown) {
        grown.push_back({{"kind", name_of(one.kind).word},
                         {"bytes", one.bytes},
                         {"bytes_per_step", one.each_step}});
    }
    return {{"rows", std::move(rows)}, {"grown", std::move(grown)}};
}

Json modules_json(const TrainingSpace& space, const TrainingTable& table, const Extent& extent) {
    Json modules = Json::array();
    for (const ModuleRow& row : space.modules) {
        if (modules.size() == extent.modules) break;
        modules.push_back({{"class", table.modules[row.number].name},
                           {"file", table.modules[row.number].file},
                           {"layers", row.layers == 0 ? Json(nullptr) : Json(row.layers)},
                           {"bytes", row.all},
                           {"kinds", kinds_json(row.bytes)}});
    }
    return modules;
}

Json kind_json(const KindRow& row, const SiteRows& rows, const Extent& extent) {
    Json lines = Json::array();
    for (const KindLine& line : row.lines) {
        if (lines.size() == extent.lines) break;
        Json one = row_json(rows, line.row, extent);
        one.update(sum_json(line.sum));
        lines.push_back(std::move(one));
    }
    Json kind{{"kind", name_of(row.kind).word}};
    kind.update(sum_json(row.sum));
    if (extent.for_people) kind["all_lines"] = row.lines.size();
    kind["lines"] = std::move(lines);
    return kind;
}

Json space_json(const TrainingSpace& space, const TrainingTable& table, const SiteRows& rows,
                const Extent& extent) {
    constexpr std::string_view stages[] = {"other", "forward", "backward", "optimiser"};
    Json kinds = Json::array();
    for (const KindRow& row : space.kinds) kinds.push_back(kind_json(row, rows, extent));
    Json json{{"space", space.name},
              {"peak_time_ns", space.peak_time_ns},
              {"peak_bytes", space.peak_bytes},
              {"tensor_bytes", space.tensor_bytes},
              {"backward_pass", space.run},
              {"is_in_backward_pass", space.is_in_run},
              {"step", space.step},
              {"stage", stages[static_cast<size_t>(space.stage)]},
              {"line", row_json(rows, space.row, extent)},
              {"kinds", std::move(kinds)},
              {"modules", modules_json(space, table, extent)},
              {"steps", steps_json(space.steps)}};
    if (extent.for_people) {
        json["part"] = part_of_peak(space, table);
        json["all_modules"] = space.modules.size();
    }
    return json;
}

Json table_json(const TrainingTable& table, const SiteRows& rows, const Extent& extent) {
    Json spaces = Json::array();
    for (const TrainingSpace& space : table.spaces) {
        spaces.push_back(space_json(space, table, rows, extent));
    }
    return {{"backward_passes", table.runs},
            {"loop", table.steps.name},
            {"steps", table.steps.are_passes ? 0 : table.steps.count()},
            {"why_no_steps", table.steps.why_none},
            {"tensors_left_out", table.left_out},
            {"spaces", std::move(spaces)}};
}

Json advice_json(const std::vector<TrainingAdvice>& advice, const SiteRows& rows,
                 const Extent& extent) {
    Json json = Json::array();
    for (const TrainingAdvice& one : advice) {
        Json each{{"rule", one.rule}, {"bytes", one.bytes}};
        if (extent.for_people) {
            each["before"] = one.before;
            each["after"] = one.after;
        } else {
            each["text"] = sentence_of(one, rows, 200);
        }
        each["line"] = row_json(rows, one.row, extent);
        each["link"] = one.link;
        json.push_back(std::move(each));
    }
    return json;
}

Json moment_json(const TrainingMoment& moment, const TensorLives& tensors) {
    Json kinds = Json::object();
    for (size_t kind = 0; kind < moment.kinds.size(); ++kind) {
        if (moment.kinds[kind].blocks == 0) continue;
        kinds[std::string(name_of(static_cast<TrainingKind>(kind)).word)] =
            sum_json(moment.kinds[kind]);
    }
    Json blocks = Json::array();
    for (const MomentBlock& block : moment.blocks) {
        blocks.push_back({{"space", tensors.spaces[block.space]},
                          {"address", block.address},
                          {"bytes", block.bytes},
                          {"kind", name_of(block.kind).word}});
    }
    return {{"mark", moment.mark},
            {"time_ns", moment.time_ns},
            {"kinds", std::move(kinds)},
            {"blocks", std::move(blocks)}};
}

Json kind_names_json() {
    Json names = Json::array();
    for (size_t kind = 0; kind < static_cast<size_t>(TrainingKind::count); ++kind) {
        const KindName name = name_of(static_cast<TrainingKind>(kind));
        names.push_back({{"kind", name.word}, {"name", name.name}, {"what", name.what}});
    }
    return names;
}

}  // namespace

std::string training_json(const TrainingReport& training, const SiteRows& rows) {
    Json moments = Json::array();
    for (const TrainingMoment& moment : training.table.moments) {
        moments.push_back(moment_json(moment, training.tensors));
    }
    return "\"training\": " + json_text(table_json(training.table, rows, {}), 2) +
           ",\n  \"advice\": " + json_text(advice_json(training.advice, rows, {}), 2) +
           ",\n  \"moments\": " + json_text(moments, 2);
}

Json training_page_json(const TrainingReport& training, const SiteRows& rows) {
    const TrainingTable& table = training.table;
    if (table.spaces.empty() || (table.runs == 0 && !table.is_of_arrays)) return nullptr;
    Json json = table_json(table, rows, of_page);
    json["kinds"] = kind_names_json();
    json["has_module_names"] = table.has_module_names;
    json["is_of_arrays"] = table.is_of_arrays;
    json["limits"] = limits_of_arrays(table);
    json["advice"] = advice_json(training.advice, rows, of_page);
    return json;
}

}  // namespace memtrace::analyzer
