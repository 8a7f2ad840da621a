// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_phases.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/error.h"
#include "analyzer/base/json_text.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t size_width = 11;
constexpr size_t count_width = 12;

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
          shown_(std::min(list.phases.size(), options.top)) {}

    void write_times() {
        out_ += style_.faint(fmt::format("  {:>{}}{:>{}}{:>13}  PHASE", "TIMES", count_width,
                                         "TIME", size_width, "AFTER")) +
                "\n";
        for (size_t i = 0; i < shown_; ++i) {
            const PhaseInfo& phase = list_.phases[i];
            const std::string time = phase.is_mark ? "-" : human_time(phase.duration_ns);
            row(fmt::format("{:>{}}{}{:>13}", exact_count(phase.occurrences), count_width,
                            style_.number(fmt::format("{:>{}}", time, size_width)),
                            human_time(phase.first_begin_ns)),
                phase);
        }
        end();
    }

    void write_space(size_t place, const Space& space) {
        const std::string sign = space.is_estimate ? "~" : "";
        const auto size = [&](uint64_t bytes) {
            return fmt::format("{:>{}}", sign + human_bytes(bytes), size_width);
        };
        std::string header = "  ";
        for (const char* title : {"PEAK", "AT BEGIN", "AT END", "ALLOCATED", "KEPT", "LEAKED"}) {
            header += fmt::format("{:>{}}", title, size_width);
        }
        header += fmt::format("{:>{}}  PHASE", "CALLS", count_width);
        out_ += style_.faint(header) + "\n";
        for (size_t i = 0; i < shown_; ++i) {
            const PhaseFigures& figures = list_.phases[i].spaces[place].second;
            if (is_empty(figures)) continue;
            if (figures.peak_bytes < options_.least(space.totals.own_peak_bytes)) continue;
            row(style_.number(size(figures.peak_bytes)) + size(figures.begin_bytes) +
                    size(figures.end_bytes) + size(figures.allocated_bytes) +
                    size(figures.kept_bytes) + size(figures.leaked_bytes) +
                    fmt::format("{:>{}}", sign + exact_count(figures.allocations), count_width),
                list_.phases[i]);
        }
        end();
    }

private:
    void row(const std::string& numbers, const PhaseInfo& phase) {
        constexpr size_t indented_max = 10;
        std::string name(2 * std::min<size_t>(phase.depth, indented_max), ' ');
        name += printable(phase.name);
        if (phase.is_mark) name += " (mark)";
        if (phase.open) name += " (open)";
        out_ += "  " + numbers + "  " + name + "\n";
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
            write_title(out, options, "Phases in " + printable(space.name), "");
            table.write_space(place, space);
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
