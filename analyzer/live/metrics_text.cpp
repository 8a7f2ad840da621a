// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {
namespace {

// Backslash, quote and the end of line are escaped in the value of a label.
std::string label(const std::string& value) {
    std::string text;
    for (const char c : valid_utf8(value)) {
        if (c == '\n') {
            text += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') text += '\\';
        text += c;
    }
    return text;
}

class Writer {
public:
    // Begins a family. Its samples must follow.
    void family(std::string name, const char* type, const char* unit, const char* help) {
        name_ = std::move(name);
        add("# TYPE {} {}\n", name_, type);
        if (*unit != 0) add("# UNIT {} {}\n", name_, unit);
        add("# HELP {} {}\n", name_, help);
    }
    void sample(const std::string& labels, auto value, const char* suffix = "") {
        add("{}{}{}{}{} {}\n", name_, suffix, labels.empty() ? "" : "{", labels,
            labels.empty() ? "" : "}", value);
    }
    std::string finish() {
        text_ += "# EOF\n";
        return std::move(text_);
    }

private:
    template <class... Values>
    void add(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    }

    std::string text_;
    std::string name_;
};

constexpr const char* is_no_estimate = "";
constexpr const char* is_estimate = ",exact=\"no\"";

std::string in_space(const SpaceMetrics& space) {
    return fmt::format("space=\"{}\"{}", label(space.space),
                       space.is_estimate ? is_estimate : is_no_estimate);
}

// What has grown is a difference of figures of its space, and as exact as they are.
const char* exactness_of(const std::string& space, const Metrics& metrics) {
    const auto found =
        std::find_if(metrics.spaces.begin(), metrics.spaces.end(),
                     [&](const SpaceMetrics& known) { return known.space == space; });
    const bool is_exact = found == metrics.spaces.end() || !found->is_estimate;
    return is_exact ? is_no_estimate : is_estimate;
}

}  // namespace

std::string metrics_text(const Metrics& metrics) {
    Writer out;
    out.family("memtrace_held_bytes", "gauge", "bytes", "Memory that the program holds now.");
    for (const SpaceMetrics& space : metrics.spaces) {
        out.sample(in_space(space), space.totals.live_bytes);
    }
    out.family("memtrace_held_blocks", "gauge", "", "Blocks that the program holds now.");
    for (const SpaceMetrics& space : metrics.spaces) {
        out.sample(in_space(space), space.totals.live_blocks);
    }
    out.family("memtrace_peak_bytes", "gauge", "bytes", "The most memory that it has held.");
    for (const SpaceMetrics& space : metrics.spaces) {
        out.sample(in_space(space), space.peak_bytes);
    }
    out.family("memtrace_allocations", "counter", "", "Allocations since the start.");
    for (const SpaceMetrics& space : metrics.spaces) {
        out.sample(in_space(space), space.totals.allocations, "_total");
    }
    out.family("memtrace_allocated_bytes", "counter", "bytes", "Memory allocated since the start.");
    for (const SpaceMetrics& space : metrics.spaces) {
        out.sample(in_space(space), space.totals.allocated_bytes, "_total");
    }
    if (!metrics.verdicts.grown.empty()) {
        out.family("memtrace_grown_bytes", "gauge", "bytes",
                   "Memory by which call sites have grown, by the verdict of the growth report.");
        for (const auto& [of, bytes] : metrics.verdicts.grown) {
            out.sample(fmt::format("space=\"{}\",verdict=\"{}\"{}", label(of.first),
                                   label(of.second), exactness_of(of.first, metrics)),
                       bytes);
        }
    }
    if (metrics.resident_bytes != 0) {
        out.family("memtrace_resident_bytes", "gauge", "bytes", "The resident set of the process.");
        out.sample("", metrics.resident_bytes);
    }
    if (metrics.own_resident_bytes != 0) {
        out.family("memtrace_own_resident_bytes", "gauge", "bytes",
                   "The part of the resident set that is memtrace's own.");
        out.sample("", metrics.own_resident_bytes);
    }
    out.family("memtrace_dump_bytes", "gauge", "bytes", "The size of the dump.");
    out.sample("", metrics.dump_bytes);
    out.family("memtrace_recorded_seconds", "gauge", "seconds", "Time since the recording began.");
    out.sample("", metrics.seconds);
    out.family("memtrace_recording", "gauge", "",
               "1 while what the program does is recorded, 0 while the recording is off.");
    out.sample("", metrics.is_on ? 1 : 0);
    out.family("memtrace_unrecorded_seconds", "gauge", "seconds",
               "Time in which the recording was off. Blocks from before it may be gone.");
    out.sample("", metrics.unrecorded_seconds);
    return out.finish();
}

}  // namespace memtrace::analyzer
