// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_temporary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/charts/site_rows.h"
#include "analyzer/model/estimate.h"
#include "analyzer/report/report_sites.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t numbers_width = 2 + 12 + 9 + 12 + 9 + 11 + 2;

struct Row {
    uint32_t row = 0;
    BlockSum all;
    BlockSum brief;
};

// A space by own lines.
struct Table {
    const Space* space = nullptr;
    std::vector<Row> rows;  // own lines first, those with most blocks first
    BlockSum all;
    BlockSum brief;
    // Bytes of brief lives are not in a profile.
    bool has_bytes = false;
    bool is_known = true;  // False: it has only all blocks.
};

// What a sample cannot tell: what happened in a block's life. How long it lived, it can.
bool is_known(const Model& model, const Space& space, const BriefLife& brief) {
    if (brief.is_temporary()) return knows_temporary(space);
    return brief.events == 0 || knows_events(model, space);
}

Table table_of(const Recording& recording, const SiteRows& rows, size_t index,
               const BriefLife& brief) {
    Table table;
    table.space = &recording.model.spaces[index];
    std::vector<Row> found(rows.size());
    const SpaceWatch* const watch = watch_of(recording, *table.space);
    table.has_bytes = watch != nullptr;
    if (watch != nullptr) {
        for (uint32_t number = 0; number < watch->lives.size(); ++number) {
            const SiteLives& lives = watch->lives[number];
            const std::optional<uint32_t> row = rows.row_of(index, number);
            if (!row) continue;
            found[*row].all.add(lives.all);
            found[*row].brief.add(brief.is_temporary() ? lives.temporary : lives.brief);
        }
    } else {
        for (size_t row = 0; row < found.size(); ++row) {
            const Totals& totals = rows.lines().totals[index][row];
            found[row].all = {totals.allocations, totals.allocated_bytes};
            found[row].brief = {totals.temporary, 0};
        }
    }
    table.is_known = is_known(recording.model, *table.space, brief);
    for (size_t row = 0; row < found.size(); ++row) {
        found[row].row = static_cast<uint32_t>(row);
        table.all.add(found[row].all);
        if (!table.is_known) continue;
        table.brief.add(found[row].brief);
        if (found[row].brief.blocks != 0) table.rows.push_back(found[row]);
    }
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const Row& a, const Row& b) {
        if (rows.is_own(a.row) != rows.is_own(b.row)) return rows.is_own(a.row);
        return a.brief.blocks > b.brief.blocks;
    });
    return table;
}

std::string condition(const BriefLife& brief) {
    if (brief.is_temporary()) return "freed before their thread's next allocation";
    std::string text;
    if (brief.events != 0) text = "freed within " + counted(brief.events, "event");
    if (brief.time_ns == 0) return text;
    return (text.empty() ? "freed within " : text + " or ") + human_time(brief.time_ns);
}

class Writer {
public:
    Writer(std::string& out, const SiteRows& rows, const TextOptions& options)
        : out_(out), rows_(rows), options_(options), style_(options.colour) {}

    void write(const Table& table, const BriefLife& brief) {
        const std::string sign = table.space->is_estimate ? "~" : "";
        const std::string bytes = table.has_bytes ? fmt::format(", and {}{} of {}{},", sign,
                                                                human_bytes(table.brief.bytes),
                                                                sign, human_bytes(table.all.bytes))
                                                  : "";
        out_ +=
            "\n" + style_.heading(fmt::format("Short lives in {}", printable(table.space->name)));
        out_ += "\n";
        if (!table.is_known) return write_not_known(table, brief);
        write_wrapped(
            out_,
            fmt::format("  {}{} of {}{} allocations ({}){} were {}", sign,
                        exact_count(table.brief.blocks), sign, exact_count(table.all.blocks),
                        percent(table.brief.blocks, table.all.blocks), bytes, condition(brief)),
            2, options_.width);
        if (table.brief.blocks == 0) return;
        out_ += style_.faint(fmt::format("  {:>12}{:>9}{:>12}{:>9}{:>11}  {}", "BLOCKS", "SHARE",
                                         "BYTES", "OF LINE", "EACH", "WHERE")) +
                "\n";
        write_rows(table);
    }

private:
    void write_not_known(const Table& table, const BriefLife& brief) {
        const std::string sign = table.space->is_estimate ? "~" : "";
        write_wrapped(out_,
                      fmt::format("  - of {}{} allocations were {}: not known, because a sample "
                                  "does not have every event; temporary --within TIME is known",
                                  sign, exact_count(table.all.blocks), condition(brief)),
                      2, options_.width);
    }

    void write_rows(const Table& table) {
        Row rest;
        size_t shown = 0, left_out = 0;
        for (const Row& row : table.rows) {
            if (shown < options_.own_top &&
                row.brief.blocks >= options_.least(table.brief.blocks)) {
                write_row(table, row, rows_.text(row.row, room()));
                shown += 1;
                continue;
            }
            left_out += 1;
            rest.all.add(row.all);
            rest.brief.add(row.brief);
        }
        if (left_out != 0) {
            write_row(table, rest, style_.faint(counted(left_out, "row") + " more"));
        }
    }

    size_t room() const {
        return options_.width > numbers_width + 16 ? options_.width - numbers_width : 16;
    }

    void write_row(const Table& table, const Row& row, const std::string& where) {
        const std::string sign = table.space->is_estimate ? "~" : "";
        const std::string bytes =
            table.has_bytes ? sign + human_bytes(row.brief.bytes) : std::string("-");
        const std::string each = table.has_bytes && row.brief.blocks != 0
                                     ? human_bytes(row.brief.bytes / row.brief.blocks)
                                     : std::string("-");
        out_ += "  " + style_.number(fmt::format("{:>12}", sign + exact_count(row.brief.blocks))) +
                fmt::format(" {:>8} {:>11} {:>8} {:>10}  {}\n",
                            percent(row.brief.blocks, table.all.blocks), bytes,
                            percent(row.brief.blocks, row.all.blocks), each, where);
    }

    std::string& out_;
    const SiteRows& rows_;
    const TextOptions& options_;
    Style style_;
};

// Returns the space with the figures of brief lives in the place of temporary ones, for the list of
// call sites.
Space with_brief(const Recording& recording, const Space& space, const BriefLife& brief) {
    Space copy = space;
    const SpaceWatch* const watch = watch_of(recording, space);
    if (watch == nullptr || brief.is_temporary()) return copy;
    copy.totals.temporary = 0;
    for (size_t site = 0; site < copy.sites.size(); ++site) {
        Totals totals = copy.sites.totals(site);
        const uint32_t number = copy.numbers[site];
        totals.temporary =
            number < watch->lives.size() ? watch->lives[number].brief.blocks : uint64_t{0};
        copy.sites.set_totals(site, totals);
        copy.totals.temporary += totals.temporary;
    }
    return copy;
}

// What is not known is null.
Json sum_json(const Table& table, const BlockSum& all, const BlockSum& brief) {
    const bool has_bytes = table.is_known && table.has_bytes;
    return {{"allocations", all.blocks},
            {"allocated_bytes", all.bytes},
            {"blocks", table.is_known ? Json(brief.blocks) : Json(nullptr)},
            {"bytes", has_bytes ? Json(brief.bytes) : Json(nullptr)}};
}

}  // namespace

void write_temporary(std::string& out, const Recording& recording, const BriefLife& brief,
                     const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    const SiteRows rows(recording);
    Writer writer(out, rows, options);
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        const Space& space = recording.model.spaces[i];
        if (!options.shows(space)) continue;
        const Table table = table_of(recording, rows, i, brief);
        writer.write(table, brief);
        if (table.brief.blocks == 0) continue;
        out += "\n";
        const Space list = with_brief(recording, space, brief);
        write_site_list(out, recording, list, Measure::temporary, options);
    }
    if (recording.model.watch == nullptr) {
        out += "\n";
        write_wrapped(out,
                      recording.is_compacted
                          ? "  The dump was compacted: it has how many such blocks there were, and "
                            "not their bytes."
                          : "  A profile has how many such blocks there were, and not their bytes; "
                            "the dump has both.",
                      2, options.width);
    }
    write_foot(out, recording, options);
}

std::string temporary_json(const Recording& recording, const BriefLife& brief) {
    const SiteRows rows(recording);
    Json spaces = Json::array();
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        const Table table = table_of(recording, rows, i, brief);
        Json lines = Json::array();
        for (const Row& row : table.rows) {
            Json line = rows.json(row.row);
            line.update(sum_json(table, row.all, row.brief));
            lines.push_back(std::move(line));
        }
        Json space{{"space", table.space->name}, {"is_estimate", table.space->is_estimate}};
        space.update(sum_json(table, table.all, table.brief));
        space["lines"] = table.is_known ? std::move(lines) : Json(nullptr);
        spaces.push_back(std::move(space));
    }
    const auto limit = [](uint64_t value) { return value == 0 ? Json(nullptr) : Json(value); };
    const Json json{{"within_events", limit(brief.events)},
                    {"within_ns", limit(brief.time_ns)},
                    {"spaces", spaces}};
    return "\"temporary\": " + json_text(json, 2);
}

}  // namespace memtrace::analyzer
