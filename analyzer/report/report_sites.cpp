// SPDX-License-Identifier: Apache-2.0
//
// Lists call sites: numbers on the left, and on the right the place with its callers below it.
//
//       BYTES    SHARE   BLOCKS  WHERE
//   300.0 MiB   72.8 %       12  Model::make_tensor  model/tensor.cpp:42
//                                  train_step  train.cpp:17
//   200.0 MiB   48.5 %        8      main  train.cpp:90
//   100.0 MiB   24.3 %        4      worker  pool.cpp:12
//
// Callers stand below each other. They get numbers of their own only where they branch.
#include "analyzer/report/report_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/model/estimate.h"
#include "analyzer/sites/site_columns.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t where_column = NumberColumns::width;
constexpr size_t indent_step = 2;
constexpr size_t branches_max = 4;
constexpr uint64_t branch_part = 20;  // Callers below 1/20 of their site are summed up.

class Writer {
public:
    Writer(std::string& out, const Recording& recording, const Space& space, const SiteTable& table,
           const TextOptions& options, bool has_numbers)
        : out_(out),
          recording_(recording),
          table_(table),
          options_(options),
          style_(options.colour),
          whole_(value_of(space.totals, table.measure)),
          columns_(table.measure, whole_, style_, space.is_estimate),
          has_numbers_(has_numbers) {}

    void run() {
        const auto& groups = table_.groups;
        const uint64_t least = options_.least(whole_);
        const auto value = [&](size_t at) {
            return value_of(table_.nodes[groups[at]].totals, table_.measure);
        };
        // If all are less than what is asked for, the largest few are shown.
        const bool is_none_enough = !groups.empty() && value(0) < least;
        const size_t most = is_none_enough ? options_.shown_least : options_.top;
        size_t shown = 0;
        for (; shown < std::min({groups.size(), options_.top, most}); ++shown) {
            const Caller& group = table_.nodes[groups[shown]];
            if (value(shown) < (is_none_enough ? 1 : least)) break;
            if (shown == 0) out_ += header();
            write_group(group);
        }
        if (shown < groups.size()) write_rest(shown);
    }

private:
    std::string header() const {
        const char* const title = "WHERE, AND WHO CALLED IT";
        return has_numbers_ ? columns_.header(title) : blank() + style_.faint(title) + "\n";
    }

    std::string numbers(const Totals& totals) const {
        return has_numbers_ ? columns_.row(totals) : blank();
    }

    std::string blank() const { return std::string(where_column, ' '); }

    void write_group(const Caller& group) {
        out_ += numbers(group.totals) + place(group, 0, true) + "\n";
        write_callers(group, indent_step, value_of(group.totals, table_.measure));
    }

    // Callers without branches share an indentation. Branches are indented one step more.
    void write_callers(const Caller& first, size_t indent, uint64_t whole_group) {
        const Caller* node = &first;
        while (node->callers.size() == 1 && same_value(*node, only_caller(*node))) {
            node = &only_caller(*node);
            if (node->skips) write_skipped(indent);
            out_ += blank() + std::string(indent, ' ') + place(*node, indent, false) + "\n";
        }
        if (node->cut) write_skipped(indent);
        if (node != &first) indent += indent_step;
        const size_t deepest = options_.width / 3;
        size_t shown = 0;
        for (; shown < std::min(node->callers.size(), branches_max); ++shown) {
            const Caller& caller = table_.nodes[node->callers[shown]];
            const uint64_t value = value_of(caller.totals, table_.measure);
            if (value < whole_group / branch_part || indent > deepest) break;
            if (caller.skips) write_skipped(indent);
            out_ += numbers(caller.totals) + std::string(indent, ' ') +
                    place(caller, indent, false) + "\n";
            write_callers(caller, indent + indent_step, whole_group);
        }
        if (shown < node->callers.size()) write_other_callers(*node, shown, indent);
    }

    void write_skipped(size_t indent) {
        out_ += blank() + std::string(indent, ' ') + style_.faint("...") + "\n";
    }

    void write_other_callers(const Caller& node, size_t shown, size_t indent) {
        Totals rest;
        for (size_t i = shown; i < node.callers.size(); ++i) {
            add(rest, table_.nodes[node.callers[i]].totals);
        }
        const std::string callers = counted(node.callers.size() - shown, "caller");
        out_ += (shown > 0 ? numbers(rest) : blank()) + std::string(indent, ' ') +
                style_.faint(shown > 0 ? callers + " more" : callers) + "\n";
    }

    const Caller& only_caller(const Caller& node) const { return table_.nodes[node.callers[0]]; }
    bool same_value(const Caller& a, const Caller& b) const {
        return value_of(a.totals, table_.measure) == value_of(b.totals, table_.measure);
    }

    std::string place(const Caller& node, size_t indent, bool strong) const {
        const size_t room = options_.width - where_column - indent;
        if (node.frame == no_frame) return no_stack_text;
        std::string suffix;
        if (node.repeats > 1) {
            const std::string times =
                node.repeats == node.repeats_max
                    ? fmt::format("x{}", node.repeats)
                    : fmt::format("x{} to x{}", node.repeats, node.repeats_max);
            suffix = node.period == 1 ? fmt::format("  ({})", times)
                                      : fmt::format("  (last {} {})", node.period, times);
        }
        const Frame& frame = recording_.symbols.frames[node.frame];
        return place_text(frame, room, suffix, style_, strong);
    }

    void write_rest(size_t shown) {
        Totals rest;
        for (size_t i = shown; i < table_.groups.size(); ++i) {
            add(rest, table_.nodes[table_.groups[i]].totals);
        }
        const std::string places = counted(table_.groups.size() - shown, "place");
        out_ += numbers(rest) + style_.faint(shown > 0 ? places + " more" : places) + "\n";
    }

    std::string& out_;
    const Recording& recording_;
    const SiteTable& table_;
    const TextOptions& options_;
    Style style_;
    uint64_t whole_;
    NumberColumns columns_;
    bool has_numbers_;
};

void write_list(std::string& out, const Recording& recording, const Space& space, Measure measure,
                const TextOptions& options, bool has_numbers) {
    const TableOptions shape{
        options.depth, options.all_frames, options.interpreter_frames, options.top,
        true,          &recording.code};
    const SiteTable table = make_site_table(space, recording.symbols, measure, shape);
    Writer(out, recording, space, table, options, has_numbers).run();
}

}  // namespace

bool write_not_known(std::string& out, const Space& space, Measure measure,
                     const TextOptions& options) {
    if (measure != Measure::temporary || knows_temporary(space)) return false;
    write_wrapped(out,
                  fmt::format("  not known (-): {} is estimated from a sample, which does not have "
                              "what threads did in the life of a block",
                              printable(space.name)),
                  2, options.width);
    return true;
}

void write_site_list(std::string& out, const Recording& recording, const Space& space,
                     Measure measure, const TextOptions& options) {
    write_list(out, recording, space, measure, options, true);
}

void write_one_stack(std::string& out, const Recording& recording, uint32_t stack,
                     const TextOptions& options) {
    Space space;
    space.totals.allocations = 1;
    space.sites.push_back({stack, space.totals});
    write_list(out, recording, space, Measure::allocations, options, false);
}

void write_sites(std::string& out, const Recording& recording, Measure measure,
                 const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    for (const Space& space : recording.model.spaces) {
        if (!options.shows(space)) continue;
        write_title(out, options, "Call sites of " + printable(space.name),
                    std::string(", ") + title_of(measure));
        if (write_not_known(out, space, measure, options)) continue;
        write_site_list(out, recording, space, measure, options);
    }
    write_foot(out, recording, options);
}

}  // namespace memtrace::analyzer
