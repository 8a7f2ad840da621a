// SPDX-License-Identifier: Apache-2.0
//
//   ----------- self ------------   ---------- through ----------
//    AT PEAK     AT END     CALLS    AT PEAK     AT END     CALLS  LINE  SOURCE
//                                                                    40  def train_step(x):
//  200.0 MiB   25.0 MiB         8  300.0 MiB   25.0 MiB        12    41      y = model(x)
//
// If autograd went backward for lines of the file, there is a third group.
#include "analyzer/report/report_lines.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/json_frames.h"
#include "analyzer/sites/line_figures.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t bytes_width = 11;
constexpr size_t calls_width = 10;
constexpr size_t line_width = 6;
constexpr size_t source_least = 28;
constexpr size_t group_width = 2 * bytes_width + calls_width;
constexpr off_t source_bytes_max = off_t{64} << 20;

bool read_source(const std::string& path, const ProcessInfo& process, SourceFile& source) {
    struct stat about {};
    // Only regular files are read, because a dump may name a pipe.
    if (path.empty() || stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return false;
    std::ifstream file(path, std::ios::binary);
    if (about.st_size > source_bytes_max || !file) return false;
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        source.text.push_back(line);
    }
    source.read = path;
    const uint64_t end = process.start_realtime_ns + process.duration_ns;
    const auto written = static_cast<uint64_t>(about.st_mtim.tv_sec) * 1'000'000'000 +
                         static_cast<uint64_t>(about.st_mtim.tv_nsec);
    source.changed = process.start_realtime_ns != 0 && written > end;
    return true;
}

std::string without_tabs(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\t') out.append(4, ' ');
        else out.push_back(c);
    }
    return printable(out);
}

std::string numbers(const Totals& totals, Measure at_end) {
    const auto bytes = [](uint64_t value) {
        return fmt::format("{:>{}}", value == 0 ? "" : human_bytes(value), bytes_width);
    };
    const std::string calls = totals.allocations == 0 ? "" : exact_count(totals.allocations);
    return bytes(totals.at_peak_bytes) + bytes(value_of(totals, at_end)) +
           fmt::format("{:>{}}", calls, calls_width);
}

class Writer {
public:
    // `at_end`: what counts as held at the end.
    Writer(std::string& out, const SourceFile& source, Measure at_end, const TextOptions& options)
        : out_(out), source_(source), at_end_(at_end), options_(options), style_(options.colour) {}

    // `whole`: the peak of the space.
    void run(const FileFigures& figures, uint64_t whole) {
        if (options_.lists_lines) choose_lines(figures, options_.least(whole));
        with_backward_ = figures.backward.allocations != 0;
        rows(figures);
        out_ += all_numbers({figures.totals, {}, figures.backward}, true) +
                std::string(line_width, ' ') + "  all stacks through this file\n";
    }

private:
    void rows(const FileFigures& figures) {
        header();
        if (source_.text.empty() || options_.lists_lines) {
            for (const auto& [line, of_line] : figures.lines) {
                if (!options_.lists_lines || chosen_.contains(line)) row(line, &of_line);
            }
            return;
        }
        for (uint32_t line = 1; line <= source_.text.size(); ++line) {
            const auto found = figures.lines.find(line);
            row(line, found == figures.lines.end() ? nullptr : &found->second);
        }
        // Lines of another version of the file, and figures without a line.
        for (const auto& [line, of_line] : figures.lines) {
            if (line == 0 || line > source_.text.size()) row(line, &of_line);
        }
    }

    // Chooses the largest lines, as TextOptions says, by what goes through them.
    void choose_lines(const FileFigures& figures, uint64_t least) {
        std::vector<std::pair<uint64_t, uint32_t>> sorted;
        for (const auto& [line, of_line] : figures.lines) {
            const Totals& totals = of_line.total;
            const uint64_t most = std::max(totals.at_peak_bytes, value_of(totals, at_end_));
            if (most >= least) sorted.emplace_back(most, line);
        }
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        sorted.resize(std::min(sorted.size(), options_.top));
        for (const auto& [most, line] : sorted) chosen_.insert(line);
    }

    // Sums have no second group, because it would count some blocks twice.
    std::string all_numbers(const LineFigures& figures, bool are_sums = false) const {
        const std::string blank(group_width, ' ');
        const std::string self = numbers(figures.self, at_end_);
        return (are_sums ? self : style_.number(self)) +
               (are_sums ? blank : numbers(figures.total, at_end_)) +
               (with_backward_ ? numbers(figures.backward, at_end_) : "");
    }

    void header() {
        const auto group = [](const char* name) {
            const std::string text = fmt::format(" {} ", name);
            const size_t rule = group_width - 3 - text.size();
            return "   " + std::string(rule / 2, '-') + text + std::string(rule - rule / 2, '-');
        };
        const std::string columns = fmt::format("{:>{}}{:>{}}{:>{}}", "AT PEAK", bytes_width,
                                                at_end_ == Measure::held ? "HELD" : "AT END",
                                                bytes_width, "CALLS", calls_width);
        const bool third = with_backward_;
        out_ += style_.faint(group("self") + group("through") + (third ? group("backward") : "")) +
                "\n";
        out_ += style_.faint(columns + columns + (third ? columns : "") +
                             fmt::format("{:>{}}  SOURCE", "LINE", line_width)) +
                "\n";
    }

    void row(uint32_t line, const LineFigures* figures) {
        const size_t groups = (with_backward_ ? 3 : 2) * group_width;
        const std::string blank(groups, ' ');
        std::string text = source_.text.empty() ? "" : "[not in this version]";
        if (line == 0) text = "[line not known]";
        else if (line <= source_.text.size()) text = without_tabs(source_.text[line - 1]);
        const size_t used = groups + line_width + 2;
        const size_t left = options_.width - std::min(options_.width, used);
        const size_t room = std::max(left, source_least);
        if (display_width(text) > room) text = cut_to_width(text, room - 3) + "...";
        std::string all = figures == nullptr ? blank : all_numbers(*figures);
        const std::string number = line == 0 ? "-" : std::to_string(line);
        all += style_.faint(fmt::format("{:>{}}", number, line_width));
        if (!text.empty()) all += "  " + text;
        out_ += all + "\n";
    }

    std::string& out_;
    const SourceFile& source_;
    const Measure at_end_;
    const TextOptions& options_;
    Style style_;
    bool with_backward_ = false;
    std::set<uint32_t> chosen_;  // lines that are shown, if not all are
};

}  // namespace

SourceFile find_source_file(const Recording& recording, const std::string& wanted,
                            const std::string& sysroot) {
    SourceFile source;
    source.path = find_source(recording.symbols, wanted);
    const std::string below = sysroot.empty() ? "" : sysroot + "/" + source.path;
    for (const std::string& path : {below, source.path, wanted}) {
        if (read_source(path, recording.model.process, source)) break;
    }
    return source;
}

void write_lines(std::string& out, const Recording& recording, const SourceFile& source,
                 const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    const Space* shown = nullptr;
    FileFigures figures;
    std::string others;
    for (const Space& space : recording.model.spaces) {
        if (!options.space.empty() && options.space != space.name) continue;
        FileFigures of_space = figures_of(space, recording.symbols, source.path);
        if (of_space.lines.empty()) continue;
        if (shown != nullptr) {
            others += (others.empty() ? "" : ", ") + space.name;
            continue;
        }
        shown = &space;
        figures = std::move(of_space);
    }
    write_title(out, options, "Lines of " + printable(source.path),
                shown == nullptr ? ": nothing"
                                 : ", " + printable(shown->name) +
                                       (shown->is_estimate ? ", all figures estimated" : ""));
    const auto remark = [&](const std::string& text) {
        write_wrapped(out, text, 2, options.width);
    };
    if (source.read.empty()) {
        remark("  The file is not here; lines that have figures are shown.");
    } else if (source.changed) {
        remark("  The file was changed after the recording: its lines may have moved.");
    }
    if (shown != nullptr) {
        remark(
            "  self: stacks whose innermost frame in this file is the line; "
            "through: all stacks that pass it, each once.");
        if (figures.backward.allocations != 0) {
            remark(
                "  backward: what autograd allocated backward for what went forward in the "
                "line; it is among self and through of whatever called backward().");
        }
        const Measure at_end = held_measure(recording.model, *shown);
        if (at_end == Measure::held) {
            remark("  HELD: alive when the work ended; what the program cleaned up then is in it.");
        }
        Writer(out, source, at_end, options).run(figures, shown->totals.own_peak_bytes);
    }
    if (!others.empty()) remark("  There is more in: " + printable(others) + " (--space).");
    write_foot(out, recording, options);
}

std::string lines_json(const Recording& recording, const SourceFile& source) {
    std::string text = "\"file\": " + json_text(Json(source.path)) + ",\n  \"source\": " +
                       (source.read.empty() ? "null" : json_text(Json(source.read))) +
                       ",\n  \"lines\": [";
    bool first = true;
    for (const Space& space : recording.model.spaces) {
        const FileFigures figures = figures_of(space, recording.symbols, source.path);
        for (const auto& [line, of_line] : figures.lines) {
            const Json json{{"space", space.name},
                            {"line", line == 0 ? Json(nullptr) : Json(line)},
                            {"self", sums_json(of_line.self, space.is_estimate)},
                            {"total", sums_json(of_line.total, space.is_estimate)},
                            {"backward", sums_json(of_line.backward, space.is_estimate)}};
            text += (first ? "\n    " : ",\n    ") + json_text(json);
            first = false;
        }
    }
    return text + "\n  ]";
}

}  // namespace memtrace::analyzer
