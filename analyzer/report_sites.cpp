// SPDX-License-Identifier: Apache-2.0
//
// Call sites as lines: numbers on the left, on the right the place and, below it, its callers.
//
//        BYTES    SHARE   BLOCKS  WHERE
//    300.0 MiB   72.8 %       12  Model::make_tensor  model/tensor.cpp:42
//                                   train_step  train.cpp:17
//    200.0 MiB   48.5 %        8      main  train.cpp:90
//    100.0 MiB   24.3 %        4      worker  pool.cpp:12
//
// Callers stand one below the other; only where they part do they get numbers of their own.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analyzer/binaries.h"
#include "analyzer/report_text.h"
#include "analyzer/shorten.h"
#include "analyzer/units.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t margin        = 2;
constexpr size_t value_width   = 11;
constexpr size_t share_width   = 8;
constexpr size_t count_width   = 11;
constexpr size_t where_column  = margin + value_width + share_width + count_width + 2;
constexpr size_t indent_step   = 2;
constexpr size_t name_min      = 16;
constexpr size_t branches_max  = 4;
constexpr uint64_t branch_part = 20;  // Callers below 1/20 of their site are summed up.

bool is_count(Measure measure) {
    return measure == Measure::allocations || measure == Measure::temporary;
}

const char* count_title(Measure measure) {
    switch (measure) {
    case Measure::at_peak:
    case Measure::leaked: return "BLOCKS";
    case Measure::allocations: return "BYTES";
    default: return "CALLS";
    }
}

const char* value_title(Measure measure) {
    switch (measure) {
    case Measure::allocations: return "CALLS";
    case Measure::temporary: return "TEMPORARY";
    default: return "BYTES";
    }
}

std::string count_text(const Totals& totals, Measure measure) {
    switch (measure) {
    case Measure::at_peak: return exact_count(totals.at_peak_blocks);
    case Measure::leaked: return exact_count(totals.live_blocks);
    case Measure::allocations: return human_bytes(totals.allocated_bytes);
    default: return exact_count(totals.allocations);
    }
}

// The last two parts of a path: enough to recognise a file, short enough for a line.
std::string short_path(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) return path;
    const size_t before = path.rfind('/', slash - 1);
    return before == std::string::npos ? path : path.substr(before + 1);
}

class Writer {
public:
    Writer(std::string& out, const Report& report, const Space& space, const SiteTable& table,
           const TextOptions& options)
        : out_(out), report_(report), space_(space), table_(table), options_(options),
          style_(options.colour), whole_(value_of(space.totals, table.measure)) {}

    void run() {
        const auto& groups = table_.groups;
        size_t shown = 0;
        for (; shown < std::min(groups.size(), options_.top); ++shown) {
            const Caller& group = table_.nodes[groups[shown]];
            if (value_of(group.totals, table_.measure) < least()) break;
            if (shown == 0) header();
            write_group(group);
        }
        if (shown < groups.size()) write_rest(shown);
    }

private:
    uint64_t least() const {
        const uint64_t part = options_.min_part == 0 ? 0 : whole_ / options_.min_part;
        return std::max(options_.min_value, part);
    }

    void header() {
        out_ += style_.faint(std::string(margin, ' ') +
                             pad_left(value_title(table_.measure), value_width) +
                             pad_left("SHARE", share_width) +
                             pad_left(count_title(table_.measure), count_width) +
                             "  WHERE, AND WHO CALLED IT") +
                "\n";
    }

    std::string numbers(const Totals& totals) const {
        const uint64_t    value = value_of(totals, table_.measure);
        const bool        plain = is_count(table_.measure);
        const std::string text  = plain ? exact_count(value) : human_bytes(value);
        return std::string(margin, ' ') + style_.number(pad_left(text, value_width)) +
               pad_left(table_.measure == Measure::own_peak ? "" : percent(value, whole_),
                        share_width) +
               pad_left(count_text(totals, table_.measure), count_width) + "  ";
    }

    std::string blank() const { return std::string(where_column, ' '); }

    void write_group(const Caller& group) {
        out_ += numbers(group.totals) + place(group, 0, true) + "\n";
        write_callers(group, indent_step, value_of(group.totals, table_.measure));
    }

    // Callers in one line of descent share an indentation; branches go one deeper.
    void write_callers(const Caller& first, size_t indent, uint64_t whole_group) {
        const Caller* node = &first;
        while (node->callers.size() == 1 && same_value(*node, only_caller(*node))) {
            node = &only_caller(*node);
            out_ += blank() + std::string(indent, ' ') + place(*node, indent, false) + "\n";
        }
        if (node->cut) out_ += blank() + std::string(indent, ' ') + style_.faint("...") + "\n";
        if (node != &first) indent += indent_step;
        const size_t deepest = options_.width / 3;
        size_t       shown   = 0;
        for (; shown < std::min(node->callers.size(), branches_max); ++shown) {
            const Caller& caller = table_.nodes[node->callers[shown]];
            const uint64_t value = value_of(caller.totals, table_.measure);
            if (value < whole_group / branch_part || indent > deepest) break;
            out_ += numbers(caller.totals) + std::string(indent, ' ') +
                    place(caller, indent, false) + "\n";
            write_callers(caller, indent + indent_step, whole_group);
        }
        if (shown < node->callers.size()) write_other_callers(*node, shown, indent);
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

    // "function  file:line", as much of it as fits.
    std::string place(const Caller& node, size_t indent, bool strong) const {
        const size_t room = options_.width - where_column - indent;
        if (node.frame == no_frame) return "[no stack was recorded]";
        const Frame& frame = report_.symbols.frames[node.frame];
        std::string  suffix;
        if (node.repeats > 1) {
            const std::string times =
                node.repeats == node.repeats_max
                    ? fmt::format("x{}", node.repeats)
                    : fmt::format("x{} to x{}", node.repeats, node.repeats_max);
            suffix = node.period == 1 ? fmt::format("  ({})", times)
                                      : fmt::format("  (last {} {})", node.period, times);
        }
        std::string location;
        if (!frame.file.empty()) {
            location = printable(short_path(frame.file));
            if (frame.line != 0) location += ":" + std::to_string(frame.line);
        } else if (frame.named && !frame.module.empty()) {
            location = "[" + printable(base_name(frame.module)) + "]";
        }
        const std::string full = printable(shorten(frame.function));
        const size_t      used = suffix.size() + (location.empty() ? 0 : location.size() + 2);
        size_t            left = room > used ? room - used : 0;
        if (display_width(full) > left && left < name_min && !frame.file.empty()) {
            location = printable(base_name(frame.file)) + ":" + std::to_string(frame.line);
            const size_t fewer = suffix.size() + location.size() + 2;
            left               = room > fewer ? room - fewer : 0;
        }
        if (display_width(full) > left && left < name_min) {
            location.clear();
            left = std::max(room > suffix.size() ? room - suffix.size() : 0, name_min);
        }
        const std::string name = printable(shorten(frame.function, left));
        return (strong ? style_.strong(name) : name) +
               style_.faint((location.empty() ? "" : "  " + location) + suffix);
    }

    void write_rest(size_t shown) {
        Totals rest;
        for (size_t i = shown; i < table_.groups.size(); ++i) {
            add(rest, table_.nodes[table_.groups[i]].totals);
        }
        const std::string places = counted(table_.groups.size() - shown, "place");
        out_ += numbers(rest) + style_.faint(shown > 0 ? places + " more" : places) + "\n";
    }

    std::string&       out_;
    const Report&      report_;
    const Space&       space_;
    const SiteTable&   table_;
    const TextOptions& options_;
    Style              style_;
    uint64_t           whole_;
};

}  // namespace

void write_site_list(std::string& out, const Report& report, const Space& space, Measure measure,
                     const TextOptions& options) {
    const TableOptions shape{options.depth, options.all_frames};
    const SiteTable    table = make_site_table(space, report.symbols, measure, shape);
    Writer(out, report, space, table, options).run();
}

}  // namespace memtrace::analyzer
