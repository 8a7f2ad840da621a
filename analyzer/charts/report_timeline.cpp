// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/base/json_text.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/charts/plot.h"
#include "analyzer/charts/timeline.h"
#include "analyzer/sites/recording_times.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t margin = 2;
constexpr size_t marks_listed = 9;  // each has a digit
constexpr size_t name_width = 40;   // columns of the name of a mark

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True if the name is that of the step, in which "#" stands for digits: "step 12" of "step #".
bool is_of_step(std::string_view name, std::string_view step) {
    size_t at = 0;
    for (size_t i = 0; i < name.size(); ++at) {
        if (at == step.size()) return false;
        if (step[at] == '#' && is_digit(name[i])) {
            while (i < name.size() && is_digit(name[i])) ++i;
        } else if (step[at] != name[i++]) {
            return false;
        }
    }
    return !name.empty() && at == step.size();
}

class Chart {
public:
    Chart(std::string& out, const Timeline& timeline, const TextOptions& options, bool utf8)
        : out_(out), timeline_(timeline), options_(options), colours_(options.colour) {
        style_.utf8 = utf8;
        const size_t taken = style_.label_width + 2 + margin;
        style_.columns = options.width > taken + 20 ? options.width - taken : 20;
    }

    void write_curve(const TimelineCurve& curve) {
        const std::string sign = curve.is_estimate ? "~" : "";
        const std::string peak = fmt::format("{}{} after {}", sign, human_bytes(curve.peak_bytes),
                                             human_time(curve.peak_time_ns));
        out_ += "\n" + colours_.heading(printable(curve.name)) + "\n";
        write_peak(peak, column_of(curve.peak_time_ns));
        write_plot(
            out_, columns_of(curve), curve.peak_bytes,
            [&](uint64_t bytes) { return bytes == 0 ? "0 B" : sign + human_bytes(bytes); }, style_);
    }

    void write_axis() {
        write_time_axis(out_, time_ticks(timeline_.begin_ns, timeline_.end_ns, style_.columns),
                        style_);
    }

    void write_steps() {
        if (timeline_.step_ends_ns.empty()) return;
        std::vector<std::string> cells(style_.columns, " ");
        for (const uint64_t end : timeline_.step_ends_ns) {
            cells[column_of(end)] = style_.utf8 ? "┆" : "|";
        }
        strip("steps", cells, "");
        note(fmt::format("{} of {}", counted(timeline_.steps, "step"), printable(timeline_.step)));
    }

    // Phases of one name share a line. Steps with a number have theirs already.
    void write_phases() {
        std::vector<std::string> names;
        std::set<std::string_view> known;
        for (const TimelinePhase& phase : timeline_.phases) {
            if (!timeline_.step_ends_ns.empty() && is_numbered_step(phase.name)) continue;
            if (known.insert(phase.name).second) names.push_back(phase.name);
        }
        const size_t shown = std::min(names.size(), options_.top);
        for (size_t i = 0; i < shown; ++i) {
            std::vector<std::string> cells(style_.columns, " ");
            for (const TimelinePhase& phase : timeline_.phases) {
                if (phase.name != names[i]) continue;
                for (size_t at = column_of(phase.begin_ns); at <= column_of(phase.end_ns); ++at) {
                    cells[at] = style_.utf8 ? "━" : "=";
                }
            }
            strip(cut_to_width(printable(names[i]), style_.label_width), cells, "");
        }
        if (shown < names.size()) {
            note(fmt::format("and {} (--top shows more)",
                             counted(names.size() - shown, "further phase")));
        }
    }

    void write_marks() {
        if (timeline_.marks.empty()) return;
        std::vector<std::string> cells(style_.columns, " ");
        std::string legend;
        for (size_t i = 0; i < timeline_.marks.size(); ++i) {
            const MarkInfo& mark = timeline_.marks[i];
            std::string& cell = cells[column_of(mark.time_ns)];
            if (cell == " ") cell = i < marks_listed ? std::to_string(i + 1) : "|";
            if (i >= marks_listed) continue;
            legend += fmt::format("{}{} {} ({})", legend.empty() ? "" : ", ", i + 1,
                                  cut_to_width(printable(mark.text), name_width),
                                  human_time(mark.time_ns));
        }
        strip("marks", cells, "");
        if (timeline_.marks.size() > marks_listed) {
            legend += fmt::format(", and {}",
                                  counted(timeline_.marks.size() - marks_listed, "further mark"));
        }
        note(legend);
    }

private:
    bool is_numbered_step(std::string_view name) const {
        return timeline_.step.find('#') != std::string::npos && is_of_step(name, timeline_.step);
    }

    size_t column_of(uint64_t time_ns) const {
        if (timeline_.end_ns <= timeline_.begin_ns || time_ns <= timeline_.begin_ns) return 0;
        const double part = static_cast<double>(time_ns - timeline_.begin_ns) /
                            static_cast<double>(timeline_.end_ns - timeline_.begin_ns);
        const auto column = static_cast<size_t>(part * static_cast<double>(style_.columns));
        return std::min(column, style_.columns - 1);
    }

    // A column shows each slice that it touches.
    std::vector<Range> columns_of(const TimelineCurve& curve) const {
        std::vector<Range> columns(style_.columns);
        for (const TimelineSlice& slice : curve.slices) {
            if (!slice.last) continue;
            const uint64_t lowest = slice.lowest.value_or(*slice.last);
            const uint64_t highest = slice.highest.value_or(*slice.last);
            const size_t last =
                column_of(slice.end_ns == slice.begin_ns ? slice.end_ns : slice.end_ns - 1);
            for (size_t at = column_of(slice.begin_ns); at <= last; ++at) {
                Range& column = columns[at];
                column.lowest = column.is_known ? std::min(column.lowest, lowest) : lowest;
                column.highest = std::max(column.highest, highest);
                column.is_known = true;
            }
        }
        return columns;
    }

    void write_peak(const std::string& text, size_t column) {
        const std::string sign = style_.utf8 ? "▼" : "v";
        const std::string indent(style_.label_width + 2, ' ');
        const size_t width = display_width(text) + 1;
        if (column + 1 + width <= style_.columns) {
            out_ += indent + std::string(column, ' ') + sign + " " + text + "\n";
        } else {
            out_ += indent + std::string(column - std::min(column, width), ' ') + text + " " +
                    sign + "\n";
        }
    }

    void strip(const std::string& label, const std::vector<std::string>& cells,
               const std::string& more) {
        std::string line =
            std::string(style_.label_width - std::min(style_.label_width, display_width(label)),
                        ' ') +
            label + "  ";
        for (const std::string& cell : cells) line += cell;
        line += more;
        line.erase(line.find_last_not_of(' ') + 1);
        out_ += line + "\n";
    }

    void note(const std::string& text) {
        const size_t indent = style_.label_width + 2;
        write_wrapped(out_, std::string(indent, ' ') + text, indent, options_.width);
    }

    std::string& out_;
    const Timeline& timeline_;
    const TextOptions& options_;
    Style colours_;
    PlotStyle style_;
};

bool is_shown(const TimelineCurve& curve, const TextOptions& options) {
    return (options.space.empty() || options.space == curve.name) &&
           curve.peak_bytes >= options.min_value;
}

// The resident set first, then the largest spaces.
std::vector<const TimelineCurve*> shown_curves(const Timeline& timeline,
                                               const TextOptions& options) {
    std::vector<const TimelineCurve*> curves;
    for (const TimelineCurve& curve : timeline.curves) {
        if (is_shown(curve, options)) curves.push_back(&curve);
    }
    const auto is_first = [](const TimelineCurve* curve) {
        return curve->name == Timeline::resident;
    };
    std::stable_sort(curves.begin(), curves.end(),
                     [&](const TimelineCurve* a, const TimelineCurve* b) {
                         if (is_first(a) != is_first(b)) return is_first(a);
                         return a->peak_bytes > b->peak_bytes;
                     });
    return curves;
}

Json slice_json(const TimelineSlice& slice) {
    const auto number = [](const std::optional<uint64_t>& value) {
        return value ? Json(*value) : Json(nullptr);
    };
    return {{"start_ns", slice.begin_ns},
            {"end_ns", slice.end_ns},
            {"lowest", number(slice.lowest)},
            {"highest", number(slice.highest)},
            {"end", number(slice.last)}};
}

}  // namespace

void write_timeline(std::string& out, const Recording& recording, const TextOptions& options,
                    bool utf8) {
    write_program(out, recording, options);
    const Timeline timeline = make_timeline(recording);
    if (options.space != Timeline::resident) write_no_space(out, recording, options);
    const std::vector<const TimelineCurve*> curves = shown_curves(timeline, options);
    if (const std::string why = no_course_text(recording); !why.empty()) {
        out += "\n";
        write_wrapped(out, "  " + why, 2, options.width);
        write_foot(out, recording, options);
        return;
    }
    Chart chart(out, timeline, options, utf8);
    const size_t shown = std::min(curves.size(), options.top);
    for (size_t i = 0; i < shown; ++i) chart.write_curve(*curves[i]);
    if (shown != 0) {
        chart.write_axis();
        chart.write_steps();
        chart.write_phases();
        chart.write_marks();
    }
    if (shown < curves.size()) {
        out += fmt::format("\n  and {} (--top shows more)\n",
                           counted(curves.size() - shown, "further curve"));
    }
    if (timeline.ends_only && !curves.empty()) {
        const char* const kind = recording.is_compacted ? "compacted dump" : "profile";
        write_wrapped(out,
                      fmt::format("  A {} has what was held at the ends of slices, and not between "
                                  "them; the dump as it was has both.",
                                  kind),
                      2, options.width);
    } else if (shown != 0) {
        out += "\n";
        write_wrapped(out,
                      utf8 ? "  Full: held all through the slice. ░: held in a part of it."
                           : "  #: held all through the slice. : held in a part of it.",
                      2, options.width);
    }
    write_foot(out, recording, options);
}

std::string timeline_json(const Recording& recording, const TextOptions& options) {
    const Timeline timeline = make_timeline(recording);
    Json curves = Json::array();
    for (const TimelineCurve* curve : shown_curves(timeline, options)) {
        Json slices = Json::array();
        for (const TimelineSlice& slice : curve->slices) slices.push_back(slice_json(slice));
        curves.push_back({{"name", curve->name},
                          {"is_estimate", curve->is_estimate},
                          {"peak_bytes", curve->peak_bytes},
                          {"peak_time_ns", curve->peak_time_ns},
                          {"slices", slices}});
    }
    Json phases = Json::array(), marks = Json::array();
    for (const TimelinePhase& phase : timeline.phases) {
        phases.push_back(
            {{"name", phase.name}, {"start_ns", phase.begin_ns}, {"end_ns", phase.end_ns}});
    }
    for (const MarkInfo& mark : timeline.marks) {
        marks.push_back({{"time_ns", mark.time_ns}, {"text", mark.text}});
    }
    const Json json = {
        {"start_ns", timeline.begin_ns},
        {"end_ns", timeline.end_ns},
        {"curves", curves},
        {"phases", phases},
        {"marks", marks},
        {"steps",
         {{"step", timeline.step}, {"count", timeline.steps}, {"ends_ns", timeline.step_ends_ns}}}};
    return "\"timeline\": " + json_text(json, 2);
}

}  // namespace memtrace::analyzer
