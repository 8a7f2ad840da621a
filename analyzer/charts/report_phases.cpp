// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_phases.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/error.h"
#include "analyzer/base/json_text.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/short_name.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t size_width = 11;
constexpr size_t count_width = 12;
constexpr size_t after_width = 13;
constexpr size_t name_least = 12;
constexpr size_t name_most = 32;  // Longer names are cut before columns are left out.
// Without the names. If they do not fit beside them, AT BEGIN and CALLS are left out.
constexpr size_t columns_of_all = 2 + 6 * size_width + count_width + 2;

bool is_empty(const PhaseFigures& figures) {
    return figures.allocations == 0 && figures.frees == 0 && figures.peak_bytes == 0 &&
           figures.allocated_bytes == 0;
}

class Table {
public:
    Table(std::string& out, const PhaseList& list, const TextOptions& options)
        : out_(out),
          list_(list),
          options_(options),
          style_(options.colour),
          shown_(std::min(list.phases.size(), options.top)) {
        size_t widest = name_least;
        for (size_t i = 0; i < shown_; ++i) {
            const PhaseInfo& phase = list.phases[i];
            const size_t name = std::min(display_width(name_of(phase)), name_most);
            widest = std::max(widest, indent_of(phase) + name);
        }
        has_all_ = columns_of_all + widest <= options.width;
    }

    void write_times() {
        out_ += style_.faint(fmt::format("  {:>{}}{:>{}}{:>{}}  PHASE", "TIMES", count_width,
                                         "TIME", size_width, "AFTER", after_width)) +
                "\n";
        for (size_t i = 0; i < shown_; ++i) {
            const PhaseInfo& phase = list_.phases[i];
            const std::string time = phase.is_mark ? "-" : human_time(phase.duration_ns);
            row(fmt::format("{:>{}}", exact_count(phase.occurrences), count_width),
                fmt::format("{:>{}}", time, size_width),
                fmt::format("{:>{}}", human_time(phase.first_begin_ns), after_width), phase);
        }
        end();
    }

    void write_space(size_t place, const Space& space) {
        const std::string sign = space.is_estimate ? "~" : "";
        const auto size = [&](uint64_t bytes) {
            return fmt::format("{:>{}}", sign + human_bytes(bytes), size_width);
        };
        std::string header = "  ";
        for (const std::string_view title :
             {"PEAK", "AT BEGIN", "AT END", "ALLOCATED", "KEPT", "LEAKED"}) {
            if (has_all_ || title != "AT BEGIN") header += fmt::format("{:>{}}", title, size_width);
        }
        if (has_all_) header += fmt::format("{:>{}}", "CALLS", count_width);
        out_ += style_.faint(header + "  PHASE") + "\n";
        for (size_t i = 0; i < shown_; ++i) {
            if (!is_shown(i, place, space)) continue;
            const PhaseFigures& figures = list_.phases[i].spaces[place].second;
            const std::string calls =
                fmt::format("{:>{}}", sign + exact_count(figures.allocations), count_width);
            row("", size(figures.peak_bytes),
                (has_all_ ? size(figures.begin_bytes) : "") + size(figures.end_bytes) +
                    size(figures.allocated_bytes) + size(figures.kept_bytes) +
                    size(figures.leaked_bytes) + (has_all_ ? calls : ""),
                list_.phases[i]);
        }
        end();
    }

    // False: every phase is empty there, or smaller than what was asked for.
    bool has_rows(size_t place, const Space& space) const {
        for (size_t i = 0; i < shown_; ++i) {
            if (is_shown(i, place, space)) return true;
        }
        return false;
    }

private:
    bool is_shown(size_t phase, size_t place, const Space& space) const {
        const PhaseFigures& figures = list_.phases[phase].spaces[place].second;
        return !is_empty(figures) &&
               figures.peak_bytes >= options_.least(space.totals.own_peak_bytes);
    }

    static size_t indent_of(const PhaseInfo& phase) {
        constexpr size_t indented_max = 10;
        return 2 * std::min<size_t>(phase.depth, indented_max);
    }

    static std::string name_of(const PhaseInfo& phase) {
        return printable(phase.name) + (phase.is_mark ? " (mark)" : "") +
               (phase.open ? " (open)" : "");
    }

    void row(const std::string& before, const std::string& number, const std::string& behind,
             const PhaseInfo& phase) {
        const size_t taken = 4 + before.size() + number.size() + behind.size() + indent_of(phase);
        const size_t room = options_.width > taken ? options_.width - taken : 0;
        out_ += "  " + before + style_.number(number) + behind + "  ";
        out_ += std::string(indent_of(phase), ' ') +
                cut_middle(name_of(phase), std::max(room, name_least)) + "\n";
    }

    void end() {
        if (shown_ == list_.phases.size()) return;
        out_ += fmt::format("  and {} (--top shows more)\n",
                            counted(list_.phases.size() - shown_, "further phase"));
    }

    std::string& out_;
    const PhaseList& list_;
    const TextOptions& options_;
    Style style_;
    size_t shown_;
    bool has_all_ = true;
};

Json figures_json(const PhaseFigures& figures) {
    return {{"allocations", figures.allocations},
            {"frees", figures.frees},
            {"allocated_bytes", figures.allocated_bytes},
            {"peak_bytes", figures.peak_bytes},
            {"peak_time_ns", figures.peak_time_ns},
            {"begin_bytes", figures.begin_bytes},
            {"end_bytes", figures.end_bytes},
            {"kept_blocks", figures.kept_blocks},
            {"kept_bytes", figures.kept_bytes},
            {"leaked_blocks", figures.leaked_blocks},
            {"leaked_bytes", figures.leaked_bytes}};
}

// A dump's phases are requested by the command. A profile has them if whoever wrote it had.
const PhaseList& phases_of(const Recording& recording) {
    if (recording.model.phases) return *recording.model.phases;
    throw Error(
        "This profile holds no phases: write it anew from its dump, by memtrace-report "
        "profile DUMP -o FILE.");
}

}  // namespace

void write_phases(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    const PhaseList& list = phases_of(recording);
    const auto open = std::count_if(list.phases.begin(), list.phases.end(),
                                    [](const PhaseInfo& phase) { return phase.open; });
    if (list.phases.empty()) {
        out += "\nNo phases were recorded: a program begins them with memtrace.h or NVTX.\n";
    } else {
        write_title(out, options, "Phases", "");
        Table table(out, list, options);
        table.write_times();
        for (size_t place = 0; place < recording.model.spaces.size(); ++place) {
            const Space& space = recording.model.spaces[place];
            if (!options.space.empty() && options.space != space.name) continue;
            const bool has_rows = table.has_rows(place, space);
            if (!has_rows && options.space.empty()) continue;
            write_title(out, options, "Phases in " + printable(space.name),
                        has_rows ? "" : ": nothing");
            if (has_rows) table.write_space(place, space);
        }
        out += "\n";
        write_wrapped(out,
                      "  KEPT: allocated while the phase was open, and alive when it ended. "
                      "LEAKED: of this, alive at the end of the recording.",
                      2, options.width);
    }
    if (open != 0) {
        write_wrapped(out,
                      fmt::format("  open: {} not ended; the end of the recording ends {}.",
                                  open == 1 ? "it was" : "they were", open == 1 ? "it" : "them"),
                      2, options.width);
    }
    if (list.unpaired_ends != 0) {
        write_wrapped(
            out, fmt::format("  {} without a begin: left out.", counted(list.unpaired_ends, "end")),
            2, options.width);
    }
    write_foot(out, recording, options);
}

std::string phases_json(const Recording& recording) {
    const PhaseList& list = phases_of(recording);
    Json json = Json::array();
    for (const PhaseInfo& phase : list.phases) {
        Json spaces = Json::object();
        // Readers may rely on "host", even if a program never allocates.
        if (find_space(recording.model, "host") == nullptr) spaces["host"] = figures_json({});
        for (const auto& [name, figures] : phase.spaces) spaces[name] = figures_json(figures);
        json.push_back({{"name", phase.name},
                        {"kind", phase.is_mark ? "mark" : "range"},
                        {"occurrences", phase.occurrences},
                        {"depth", phase.depth},
                        {"open", phase.open},
                        {"first_begin_ns", phase.first_begin_ns},
                        {"duration_ns", phase.duration_ns},
                        {"spaces", spaces}});
    }
    return "\"unpaired_ends\": " + std::to_string(list.unpaired_ends) +
           ",\n  \"phases\": " + json_text(json, 2);
}

}  // namespace memtrace::analyzer
