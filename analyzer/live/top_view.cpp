// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/top_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

using Look = TopLine::Look;

constexpr const char* unnamed = "call sites that are being named";
constexpr size_t verdict_width = 8;
constexpr size_t command_least = 12;
constexpr size_t wide = 100;  // columns of a screen that has room for all columns

std::string signed_bytes(double bytes) {
    const std::string text = human_bytes(static_cast<uint64_t>(std::llround(std::fabs(bytes))));
    if (std::llround(bytes) == 0) return "0 B";
    return (bytes < 0 ? "-" : "+") + text;
}

// Returns the text in at most `room` columns, with "…" if it is longer.
std::string cut_text(const std::string& text, size_t room) {
    if (display_width(text) <= room) return text;
    return room == 0 ? "" : cut_to_width(text, room - 1) + "…";
}

// A line of eight heights. The lowest value is the floor, so that a slow growth shows.
std::string sparkline(const std::deque<uint64_t>& values, size_t width) {
    static constexpr std::array<const char*, 8> heights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (values.size() < 2) return "";
    const size_t first = values.size() > width ? values.size() - width : 0;
    const auto [low, high] =
        std::minmax_element(values.begin() + static_cast<ptrdiff_t>(first), values.end());
    const double range = std::max(1.0, static_cast<double>(*high - *low));
    std::string line;
    for (size_t i = first; i < values.size(); ++i) {
        const double share = static_cast<double>(values[i] - *low) / range;
        line += heights[static_cast<size_t>(share * (heights.size() - 1) + 0.5)];
    }
    return line;
}

double growth_of(const LiveFigures& figures) { return figures.a_minute.value_or(0); }

}  // namespace

// The report finds the steps anew each time. It may find those of another loop.
void TopView::set_verdicts(LiveVerdicts verdicts) {
    const uint64_t passed_ns = program_.time_ns - std::min(verdicts_ns_, program_.time_ns);
    const bool are_same = verdicts.step == verdicts_.step && verdicts.steps >= verdicts_.steps;
    steps_a_second_ = 0;
    if (are_same && verdicts_.steps > 0 && passed_ns > 0) {
        const uint64_t more = verdicts.steps - verdicts_.steps;
        steps_a_second_ = static_cast<double>(more) * 1e9 / static_cast<double>(passed_ns);
    }
    verdicts_ = std::move(verdicts);
    verdicts_ns_ = program_.time_ns;
}

void TopView::set_table(const LiveTable& table) {
    spaces_ = table.spaces();
    names_ = table.names().rows;
}

// The space that was chosen, or the first if there is none of this name.
const LiveSpace* TopView::shown_space() const {
    if (spaces_.empty()) return nullptr;
    const auto found = std::find_if(spaces_.begin(), spaces_.end(),
                                    [&](const LiveSpace& one) { return one.name == space_; });
    return found != spaces_.end() ? &*found : &spaces_.front();
}

std::vector<TopView::Row> TopView::rows() const {
    std::vector<Row> rows;
    const LiveSpace* space = shown_space();
    if (space == nullptr) return rows;
    for (const LiveFigures& figures : space->rows) {
        Row row{figures, {}, nullptr};
        if (figures.row != LiveNames::no_row) row.names = names_[figures.row];
        else row.names.where = unnamed;
        // What allocates and frees matters to those who look at calls.
        if (figures.bytes == 0 && growth_of(figures) == 0 && sort_ != TopSort::calls) continue;
        if (!filter_.empty() && row.names.where.find(filter_) == std::string::npos) continue;
        if (!row.names.file.empty()) {
            row.verdict = verdicts_.find(space->name, row.names.file, row.names.line);
        }
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [this](const Row& a, const Row& b) {
        if (sort_ == TopSort::growth && growth_of(a.figures) != growth_of(b.figures)) {
            return growth_of(a.figures) > growth_of(b.figures);
        }
        if (sort_ == TopSort::calls && a.figures.allocations != b.figures.allocations) {
            return a.figures.allocations > b.figures.allocations;
        }
        if (a.figures.bytes != b.figures.bytes) return a.figures.bytes > b.figures.bytes;
        return a.names.where < b.names.where;
    });
    return rows;
}

// ---- keys ---------------------------------------------------------------------------------------

void TopView::press(TopKey key) {
    const std::vector<Row> all = rows();
    const auto go_to = [&](size_t place) {
        if (all.empty()) return;
        place_ = std::min(place, all.size() - 1);
        selected_ = all[place_].names.where;
    };
    const auto back_by = [](size_t& place, size_t rows) { place -= std::min(place, rows); };
    if (is_open_) {
        switch (key) {
            case TopKey::up: return back_by(stack_first_, 1);
            case TopKey::down: stack_first_ += 1; return;
            case TopKey::page_up: return back_by(stack_first_, page_);
            case TopKey::page_down: stack_first_ += page_; return;
            case TopKey::first: stack_first_ = 0; return;
            case TopKey::open:
            case TopKey::back: is_open_ = false; return;
            default: break;
        }
    }
    size_t place = place_;
    switch (key) {
        case TopKey::up: back_by(place, 1); return go_to(place);
        case TopKey::down: return go_to(place + 1);
        case TopKey::page_up: back_by(place, page_); return go_to(place);
        case TopKey::page_down: return go_to(place + page_);
        case TopKey::first: return go_to(0);
        case TopKey::last: return go_to(all.size());
        case TopKey::sort:
            sort_ = static_cast<TopSort>((static_cast<unsigned>(sort_) + 1) % 3);
            return;
        case TopKey::next_space: {
            const LiveSpace* shown = shown_space();
            if (shown == nullptr) return;
            const size_t next = static_cast<size_t>(shown - spaces_.data()) + 1;
            space_ = spaces_[next % spaces_.size()].name;
            selected_.clear();
            place_ = 0;
            return;
        }
        case TopKey::open:
            if (selected_.empty()) go_to(place_);
            is_open_ = !selected_.empty();
            stack_first_ = 0;
            return;
        case TopKey::back: filter_.clear(); return;
        case TopKey::filter:
            filter_.clear();
            is_typing_ = true;
            return;
    }
}

void TopView::type(char c) {
    if (c == '\n') {
        is_typing_ = false;
    } else if (c != '\b') {
        filter_ += c;
    } else if (filter_.empty()) {
        is_typing_ = false;
    } else {
        // All bytes of the last character.
        while (!filter_.empty() && (static_cast<unsigned char>(filter_.back()) & 0xc0) == 0x80) {
            filter_.pop_back();
        }
        if (!filter_.empty()) filter_.pop_back();
    }
}

// ---- the screen ---------------------------------------------------------------------------------

std::vector<TopLine> TopView::lines(size_t width, size_t height) {
    constexpr size_t keys_line = 1;
    const size_t above = height > keys_line ? height - keys_line : 0;
    std::vector<TopLine> lines = content(width, above);
    if (lines.size() < above) lines.resize(above);
    lines.push_back({cut_to_width(keys(), width), Look::faint});
    return lines;
}

std::vector<TopLine> TopView::content(size_t width, size_t height) {
    std::vector<TopLine> lines;
    add_head(lines, width);
    const size_t room = height > lines.size() ? height - lines.size() : 1;
    if (is_open_) add_stack(lines, width, room);
    else add_table(lines, width, room);
    return lines;
}

std::string TopView::steps_text() const {
    if (verdicts_.steps == 0) return "";
    const std::string text = fmt::format("  {} steps", exact_count(verdicts_.steps));
    return steps_a_second_ > 0 ? fmt::format("{} ({:.1f}/s)", text, steps_a_second_) : text;
}

void TopView::add_head(std::vector<TopLine>& lines, size_t width) const {
    std::string facts = fmt::format("  pid {}  {}", program_.pid, human_time(program_.time_ns));
    if (!program_.resident.empty()) {
        facts += fmt::format("  resident {}", human_bytes(program_.resident.back()));
        if (program_.own_resident != 0) {
            facts += fmt::format(" (memtrace {})", human_bytes(program_.own_resident));
        }
    }
    const std::string rest =
        fmt::format("{}  dump {}{}", steps_text(), human_bytes(program_.dump_bytes),
                    program_.is_running ? "" : "  ENDED");
    const size_t behind = display_width(facts) + display_width(rest);
    const std::string command = cut_text(printable(program_.command),
                                         std::max(command_least, width - std::min(width, behind)));
    std::string title = command + facts;
    const size_t used = display_width(title) + display_width(rest) + 1;
    if (used < width) {
        if (const std::string curve = sparkline(program_.resident, width - used); !curve.empty()) {
            title += " " + curve;
        }
    }
    lines.push_back({cut_to_width(title + rest, width), Look::title});

    std::string spaces;
    const LiveSpace* shown = shown_space();
    for (const LiveSpace& space : spaces_) {
        if (space.peak_bytes == 0 && &space != shown) continue;
        const std::string text =
            fmt::format("{} {}{}", printable(space.name), space.is_estimate ? "~" : "",
                        human_bytes(space.bytes));
        spaces += &space == shown ? "[" + text + "] " : " " + text + "  ";
    }
    if (program_.is_naming) spaces += " naming call sites…";
    if (program_.lags) spaces += " without each thread's newest events (private rings)";
    lines.push_back({cut_to_width(spaces, width), Look::plain});
    if (program_.recording_off.empty()) return;
    lines.push_back({cut_to_width("  " + program_.recording_off, width), Look::alarm});
}

// Columns that say little, or that leave no room for the place, are not shown.
std::string TopView::columns_text(const std::array<std::string, 4>& values, size_t width) const {
    const bool has_calls = sort_ == TopSort::calls || width >= wide;
    std::string text = fmt::format("{:>11} {:>12} ", values[0], values[1]);
    if (verdicts_.steps > 0) text += fmt::format("{:>11} ", values[2]);
    if (has_calls) text += fmt::format("{:>13} ", values[3]);
    return text + " ";
}

void TopView::add_table(std::vector<TopLine>& lines, size_t width, size_t height) {
    const auto mark = [&](TopSort sort, const char* name) {
        return fmt::format("{}{}", sort_ == sort ? "▼" : "", name);
    };
    const std::string head =
        columns_text({mark(TopSort::held, "HELD"), mark(TopSort::growth, "+/MIN"), "A STEP",
                      mark(TopSort::calls, "CALLS")},
                     width) +
        "WHERE";
    lines.push_back({cut_to_width(head, width), Look::head});
    const std::vector<Row> all = rows();
    page_ = height > 1 ? height - 1 : 1;
    const auto found = std::find_if(
        all.begin(), all.end(), [this](const Row& row) { return row.names.where == selected_; });
    if (found != all.end()) place_ = static_cast<size_t>(found - all.begin());
    place_ = all.empty() ? 0 : std::min(place_, all.size() - 1);
    if (place_ < first_shown_) first_shown_ = place_;
    if (place_ >= first_shown_ + page_) first_shown_ = place_ - page_ + 1;
    if (selected_.empty()) first_shown_ = 0;
    if (all.empty()) {
        lines.push_back(
            {cut_to_width(filter_.empty() ? "  nothing is held yet"
                                          : "  no line has \"" + printable(filter_) + "\" in it",
                          width),
             Look::faint});
    }
    for (size_t i = first_shown_; i < std::min(all.size(), first_shown_ + page_); ++i) {
        TopLine line = row_line(all[i], width);
        if (!selected_.empty() && i == place_) line.look = Look::selected;
        lines.push_back(std::move(line));
    }
}

TopLine TopView::row_line(const Row& row, size_t width) const {
    const LiveSpace* space = shown_space();
    const std::string sign = space != nullptr && space->is_estimate ? "~" : "";
    const std::string rate = row.figures.a_minute ? signed_bytes(*row.figures.a_minute) : "-";
    const std::string step = row.verdict != nullptr && row.verdict->per_step != 0
                                 ? signed_bytes(row.verdict->per_step)
                                 : "-";
    std::string text = columns_text({sign + human_bytes(row.figures.bytes), rate, step,
                                     sign + exact_count(row.figures.allocations)},
                                    width);
    const std::string verdict = row.verdict != nullptr ? row.verdict->verdict : "";
    const size_t used = display_width(text);
    const size_t behind = verdict.empty() ? 0 : verdict_width + 1;
    const size_t room = width > used + behind ? width - used - behind : 0;
    text += cut_text(printable(row.names.where), room);
    if (!verdict.empty() && width > behind) {
        text = fmt::format("{:<{}} {:>{}}", text, width - behind, verdict, verdict_width);
    }
    const bool is_alarm = verdict == "leak" || verdict == "growing";
    const bool is_unnamed = row.figures.row == LiveNames::no_row;
    return {cut_to_width(text, width), is_alarm     ? Look::alarm
                                       : is_unnamed ? Look::faint
                                                    : Look::plain};
}

void TopView::add_stack(std::vector<TopLine>& lines, size_t width, size_t height) {
    page_ = height > 1 ? height - 1 : 1;
    const std::vector<Row> all = rows();
    const auto found = std::find_if(
        all.begin(), all.end(), [this](const Row& row) { return row.names.where == selected_; });
    if (found == all.end()) {
        lines.push_back(
            {cut_to_width(printable(selected_) + " holds nothing now", width), Look::head});
        return;
    }
    const std::string head =
        fmt::format("{} holds {} in {}", printable(selected_), human_bytes(found->figures.bytes),
                    counted(found->figures.blocks, "block"));
    lines.push_back({cut_to_width(head, width), Look::head});
    const std::vector<std::string>& stack = found->names.stack;
    const char* const what = stack.empty() ? "its call stacks are not named yet"
                                           : "the call stack that holds most of it:";
    lines.push_back({cut_to_width(what, width), Look::faint});
    page_ -= std::min<size_t>(page_, 1);
    stack_first_ = std::min(stack_first_, stack.size() > page_ ? stack.size() - page_ : 0);
    for (size_t i = stack_first_; i < std::min(stack.size(), stack_first_ + page_); ++i) {
        lines.push_back({cut_to_width("  " + printable(stack[i]), width), Look::plain});
    }
}

std::string TopView::keys() const {
    if (is_typing_) return "lines with: " + printable(filter_) + "_   [enter] done";
    const std::string filter = filter_.empty() ? "" : "  [esc] all lines";
    if (is_open_) return "[enter] back  [↑↓] scroll  [q]uit";
    return "[s]ort  [tab] space  [f]ilter  [↑↓ enter] stack  [q]uit" + filter;
}

}  // namespace memtrace::analyzer
