// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/report_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "analyzer/base/units.h"
#include "analyzer/diff/moved_lines.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/sites/site_key.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t margin = 2;
constexpr size_t value_width = 12;
constexpr size_t blocks_width = 11;
constexpr size_t place_least = 24;
constexpr size_t width_of_all = 96;     // Narrower lines leave out what was before.
constexpr double part_of_table = 1000;  // A change is small if it is a smaller part of the whole.
constexpr std::array measures{peak_difference, held_difference, step_difference};

// Figures of one step are parts of bytes, and small ones are no less different.
std::string bytes_text(double bytes) {
    if (bytes != 0 && std::abs(bytes) < 0.5) return "<1 B";
    return human_bytes(static_cast<uint64_t>(std::llround(std::abs(bytes))));
}

std::string blocks_text(double blocks) {
    const double rest = std::abs(blocks);
    if (rest != std::floor(rest)) return fmt::format("{:.3g}", rest);
    return exact_count(static_cast<uint64_t>(rest));
}

const char* sign_of(double change) { return change < 0 ? "-" : change > 0 ? "+" : ""; }

std::string words_of(const ProcessInfo& process) {
    std::string text;
    for (const std::string& word : process.command) text += (text.empty() ? "" : " ") + word;
    return printable(text.empty() ? "[command not recorded]" : text);
}

// A row of a table: a line or a call site, the sum of several, or the sum of all.
struct Row {
    std::string label;
    std::vector<std::string> callers;
    DiffValue value;
    bool is_faint = false;
    double chance = 0;  // the part of the change that samples explain

    bool is_chance() const { return chance > 0 && std::abs(value.change()) <= chance; }
};

void add(DiffValue& sum, const DiffValue& part) {
    sum.before += part.before;
    sum.after += part.after;
    sum.before_blocks += part.before_blocks;
    sum.after_blocks += part.after_blocks;
}

class Writer {
public:
    Writer(std::string& out, const Diff& diff, const TextOptions& options)
        : out_(out), diff_(diff), options_(options), style_(options.colour) {
        has_before_ = options.width >= width_of_all;
        place_column_ = margin + (has_before_ ? 3 : 2) * value_width + blocks_width + 2;
        const size_t left = options.width > place_column_ ? options.width - place_column_ : 0;
        room_ = std::max(left, place_least);
    }

    void run() {
        write_head();
        if (const std::string nothing = diff_.nothing(); !nothing.empty()) {
            out_ += "\n";
            write_wrapped(out_, "Nothing to show: " + printable(nothing) + ".", 2, options_.width);
        } else if (!diff_.differs()) {
            write_nothing_differs();
        } else {
            for (const DiffedSpace& space : diff_.spaces) write_lines(space);
            write_quiet();
            for (const DiffedSpace& space : diff_.spaces) write_sites(space);
            write_same_spaces();
        }
        out_ += diff_.before.foot;
        if (diff_.after.foot != diff_.before.foot) out_ += diff_.after.foot;
    }

private:
    // ---- the head

    void write_head() {
        const DiffSide& a = diff_.before;
        const DiffSide& b = diff_.after;
        const bool same = a.process.command == b.process.command;
        if (same) write_wrapped(out_, style_.heading(words_of(b.process)), 4, options_.width);
        write_side("before", a, same);
        write_side("after ", b, same);
        const auto say = [&](const std::string& text) {
            write_wrapped(out_, "  " + text, 4, options_.width);
        };
        if (a.program != b.program) {
            say(fmt::format("two different programs: {}, and {}", printable(a.program),
                            printable(b.program)));
        }
        if (a.selection != b.selection) say("they are limited in different ways");
        if (a.nothing.empty() != b.nothing.empty()) {
            say(fmt::format("{}: {}", a.nothing.empty() ? "after" : "before",
                            printable(a.nothing.empty() ? b.nothing : a.nothing)));
        }
        if (a.steps && b.steps) {
            const auto text = [](const DiffSteps& steps) {
                return counted(steps.count, "whole step") + " of " + printable(steps.name);
            };
            const std::string first = text(*a.steps), second = text(*b.steps);
            const std::string why =
                diff_.has_steps ? "" : ": " + diff_.why_other_steps + ", so steps are not compared";
            say(first == second ? first + " in both" + why
                                : fmt::format("{} before, {} after{}", first, second, why));
        } else if (a.steps || b.steps) {
            say(fmt::format("only one of them has steps ({}), so steps are not compared",
                            a.steps ? "before" : "after"));
        }
    }

    void write_side(const char* name, const DiffSide& side, bool same) {
        std::string text = fmt::format("  {}  ", name);
        if (!same) text += style_.heading(words_of(side.process)) + "; ";
        text += fmt::format(
            "{}: {}, {}, {}", printable(side.path), human_time(side.process.duration_ns),
            side.process.end == "unknown" ? "end not recorded" : printable(side.process.end),
            counted(side.events, "event"));
        if (side.is_incomplete) text += ", " + style_.bad("INCOMPLETE");
        if (!side.selection.empty()) text += ", only " + printable(side.selection);
        write_wrapped(out_, text, 10, options_.width);
    }

    void write_nothing_differs() {
        const std::vector<std::string> moved = moved_lines(diff_, options_.space, room_);
        std::string text = "Nothing differs: every call site has the same figures in both.";
        if (!moved.empty()) {
            text =
                "Nothing differs but numbers of lines: every call site has the same figures in "
                "both, and these lines count as moved.";
        }
        out_ += "\n";
        write_wrapped(out_, text, 0, options_.width);
        const size_t shown = std::min(moved.size(), options_.own_top);
        for (size_t i = 0; i < shown; ++i) write_wrapped(out_, "  " + moved[i], 4, options_.width);
        if (shown < moved.size()) out_ += "  " + counted(moved.size() - shown, "line") + " more\n";
    }

    // ---- lines

    void write_lines(const DiffedSpace& space) {
        if (!shows(space)) return;
        for (const DiffMeasure& measure : measures) {
            if (measure.name == "step" && !diff_.has_steps) continue;
            std::vector<Row> rows;
            for (const DiffedLine& line : space.lines) {
                Row row = row_of(space, line.figures, measure);
                if (!row.value.differs()) continue;
                row.label = label_of(line);
                rows.push_back(std::move(row));
            }
            const Row whole = row_of(space, space.totals, measure);
            if (rows.empty() && !whole.value.differs()) continue;
            const bool has_table = is_worth_a_table(rows, whole.value);
            const std::string title = title_of(space, measure);
            const std::string change = change_of(space, whole, measure);
            if (!has_table) {
                quiet_.push_back(title + change + why_no_table(rows));
                continue;
            }
            write_title(out_, options_, title, change);
            write_table(std::move(rows), whole.value, space, options_.own_top, "line", "YOUR LINES",
                        measure);
        }
    }

    void write_quiet() {
        if (quiet_.empty()) return;
        write_title(out_, options_, "Hardly different", "");
        for (const std::string& line : quiet_) {
            write_wrapped(out_, "  " + line, 4, options_.width);
        }
    }

    Row row_of(const DiffedSpace& space, const DiffPair& pair, const DiffMeasure& measure) const {
        return {
            "", {}, value_of(diff_, pair, measure), false, chance_of(diff_, space, pair, measure)};
    }

    // Differences that are small beside the whole, or that the sample explains, need no rows.
    static bool is_worth_a_table(const std::vector<Row>& rows, const DiffValue& whole) {
        const double least = std::max(whole.before, whole.after) / part_of_table;
        return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
            return !row.is_chance() && std::abs(row.value.change()) >= least;
        });
    }

    static std::string why_no_table(const std::vector<Row>& rows) {
        const bool is_chance =
            std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_chance(); });
        return is_chance ? ", no line more than chance" : ", each line by less than 0.1 %";
    }

    // A line that both have is shown where it is now.
    std::string label_of(const DiffedLine& line) const {
        const bool is_gone = line.after == nullptr;
        const std::string mark = is_gone ? " (gone)" : line.before == nullptr ? " (new)" : "";
        const DiffSide& side = is_gone ? diff_.before : diff_.after;
        const OwnRow& row = (is_gone ? line.before : line.after)->row;
        const size_t room = room_ - mark.size();
        return fitted(own_row_text(side.names, row, room), room) + mark;
    }

    std::string title_of(const DiffedSpace& space, const DiffMeasure& measure) const {
        return std::string(measure.title) + " of " + printable(space.name);
    }

    std::string change_of(const DiffedSpace& space, const Row& row,
                          const DiffMeasure& measure) const {
        const DiffValue& whole = row.value;
        const char* const rough = space.is_estimate ? "~" : "";
        const char* const verb = measure.name == "step" ? " allocated" : "";
        if (whole.change() == 0) {
            return fmt::format(": {}{}{} in both", rough, bytes_text(whole.after), verb);
        }
        std::string exact;
        if (measure.name != "step" && !space.is_estimate && std::abs(whole.change()) >= 1024) {
            exact = fmt::format(" ({}{} bytes)", sign_of(whole.change()),
                                exact_count(static_cast<uint64_t>(std::abs(whole.change()))));
        }
        std::string text =
            fmt::format(": {}{}{}{}, from {}{} to {}{}{}", rough, sign_of(whole.change()),
                        bytes_text(whole.change()), exact, rough, bytes_text(whole.before), rough,
                        bytes_text(whole.after), verb);
        if (row.is_chance()) {
            text += fmt::format(" (chance of the sample: up to {})", bytes_text(row.chance));
        }
        return text;
    }

    // ---- call sites

    // Sorted by the first measure in which the space differs.
    void write_sites(const DiffedSpace& space) {
        if (!shows(space)) return;
        for (const DiffMeasure& measure : measures) {
            std::vector<Row> rows;
            for (const DiffedSite& site : space.sites) {
                Row row = row_of(space, site.figures, measure);
                if (!row.value.differs()) continue;
                name_site(row, site);
                rows.push_back(std::move(row));
            }
            const DiffValue whole = value_of(diff_, space.totals, measure);
            if (!is_worth_a_table(rows, whole)) continue;
            write_title(out_, options_, "Call sites of " + printable(space.name),
                        measure.name == "peak"   ? ", by the change of what they held at the peak"
                        : measure.name == "held" ? ", by the change of what they hold at the end"
                                                 : ", by the change of what a step allocates");
            write_table(std::move(rows), whole, space, options_.top, "place",
                        "WHERE, AND WHO CALLED IT", measure);
            return;
        }
    }

    void name_site(Row& row, const DiffedSite& site) const {
        const std::string& key = (site.after != nullptr ? site.after : site.before)->key;
        for (const std::string_view part : parts_of_key(key)) {
            row.callers.push_back(printable(std::string(part)));
        }
        row.label = row.callers.front();
        row.callers.erase(row.callers.begin());
        if (row.callers.size() > options_.depth) row.callers.resize(options_.depth);
        row.label += site.before == nullptr ? " (new)" : site.after == nullptr ? " (gone)" : "";
    }

    // ---- tables

    bool shows(const DiffedSpace& space) const {
        return options_.space.empty() || options_.space == space.name;
    }

    void write_table(std::vector<Row> rows, const DiffValue& whole, const DiffedSpace& space,
                     size_t top, const char* noun, const char* title, const DiffMeasure& measure) {
        const auto weight = [](const Row& row) {
            return row.is_chance() ? 0 : std::abs(row.value.change());
        };
        std::stable_sort(rows.begin(), rows.end(),
                         [&](const Row& a, const Row& b) { return weight(a) > weight(b); });
        double moved = 0;
        for (const Row& row : rows) moved += std::abs(row.value.change());
        const auto least = static_cast<double>(options_.least(static_cast<uint64_t>(moved)));
        size_t shown = 0;
        while (shown < rows.size() && shown < top && weight(rows[shown]) >= least &&
               !rows[shown].is_chance()) {
            ++shown;
        }
        // The last row takes no more room than its sum.
        if (shown + 1 == rows.size() && shown == top && !rows[shown].is_chance()) ++shown;
        const char* const blocks = measure.name == "step" ? "CALLS" : "BLOCKS";
        out_ += style_.faint(fmt::format("{:{}}{:>{}}{}{:>{}}{:>{}}  {}", "", margin, "CHANGE",
                                         value_width, before_column("BEFORE"), "AFTER", value_width,
                                         blocks, blocks_width, title)) +
                "\n";
        for (size_t i = 0; i < shown; ++i) write_row(rows[i], space);
        if (shown < rows.size()) {
            Row rest{counted(rows.size() - shown, noun) + (shown > 0 ? " more" : ""), {}, {}, true};
            for (size_t i = shown; i < rows.size(); ++i) add(rest.value, rows[i].value);
            write_row(rest, space);
        }
        Row same{"the rest, which is the same", {}, whole, true};
        for (const Row& row : rows) {
            same.value.before -= row.value.before;
            same.value.after -= row.value.after;
            same.value.before_blocks -= row.value.before_blocks;
            same.value.after_blocks -= row.value.after_blocks;
        }
        // Parts of a step are no whole numbers, so a sum of them may miss 0 by little.
        if (std::abs(same.value.before) >= 0.5 || std::abs(same.value.before_blocks) >= 0.5) {
            same.value.after = same.value.before;
            same.value.after_blocks = same.value.before_blocks;
            write_row(same, space);
        }
        write_row({"in all", {}, whole, true}, space);
    }

    void write_row(const Row& row, const DiffedSpace& space) {
        const char* const rough = space.is_estimate ? "~" : "";
        const auto value = [&](double bytes) {
            return bytes == 0 ? std::string("-") : rough + bytes_text(bytes);
        };
        const double change = row.value.change(), blocks = row.value.change_of_blocks();
        const std::string text =
            change == 0 ? "-" : fmt::format("{}{}{}", rough, sign_of(change), bytes_text(change));
        const std::string number = fmt::format("{:>{}}", text, value_width);
        out_ += std::string(margin, ' ');
        out_ += change > 0 ? style_.bad(number) : change < 0 ? style_.good(number) : number;
        out_ += before_column(value(row.value.before));
        out_ +=
            fmt::format("{:>{}}{:>{}}  ", value(row.value.after), value_width,
                        blocks == 0 ? "-" : sign_of(blocks) + blocks_text(blocks), blocks_width);
        const std::string label = fitted(row.label, room_);
        out_ += (row.is_faint ? style_.faint(label) : style_.strong(label)) + "\n";
        for (const std::string& caller : row.callers) {
            out_ += std::string(place_column_ + 2, ' ') + fitted(caller, room_ - 2) + "\n";
        }
    }

    std::string before_column(const std::string& text) const {
        return has_before_ ? fmt::format("{:>{}}", text, value_width) : "";
    }

    static std::string fitted(const std::string& text, size_t room) {
        return display_width(text) <= room ? text : cut_to_width(text, room - 3) + "...";
    }

    void write_same_spaces() {
        std::string names;
        for (const DiffedSpace& space : diff_.spaces) {
            const auto is_different = [](const auto& part) { return part.figures.differs(); };
            if (!shows(space) || std::any_of(space.sites.begin(), space.sites.end(), is_different))
                continue;
            names += (names.empty() ? "" : ", ") + printable(space.name);
        }
        if (names.empty()) return;
        out_ += "\n";
        write_wrapped(out_, "The same in both: " + names, 2, options_.width);
    }

    std::string& out_;
    const Diff& diff_;
    const TextOptions& options_;
    Style style_;
    std::vector<std::string> quiet_;  // differences that need no table
    bool has_before_ = true;
    size_t place_column_ = 0;
    size_t room_ = 0;  // columns of a place
};

}  // namespace

void write_diff(std::string& out, const Diff& diff, const TextOptions& options) {
    Writer(out, diff, options).run();
}

}  // namespace memtrace::analyzer
