// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/program_facts.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "analyzer/base/paths.h"
#include "analyzer/base/terminal.h"
#include "analyzer/sites/recording_times.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t curve_points = 40;

// The dump's samples of the resident set, thinned out evenly over the run.
std::deque<uint64_t> curve_of(const std::vector<RssSample>& samples) {
    std::deque<uint64_t> curve;
    if (samples.empty()) return curve;
    const uint64_t first = samples.front().time_ns;
    const uint64_t length = samples.back().time_ns - first;
    for (size_t point = 0; point < curve_points; ++point) {
        const uint64_t time = first + length / curve_points * (point + 1);
        const auto next = std::upper_bound(
            samples.begin(), samples.end(), time,
            [](uint64_t t, const RssSample& sample) { return t < sample.time_ns; });
        curve.push_back(next == samples.begin() ? next->rss : (next - 1)->rss);
    }
    return curve;
}

// Returns the command with names of files instead of paths.
std::string command_of(const ProcessInfo& process) {
    std::string text;
    for (const std::string& word : process.command) {
        text += text.empty() ? "" : " ";
        text += word.starts_with('/') ? base_name(word) : word;
    }
    if (text.empty()) text = base_name(process.executable);
    return quotable(text);
}

}  // namespace

uint64_t resident_now(const RecordedProgram& program, const LiveDump& dump) {
    if (dump.is_running() && program.pid != 0) {
        std::ifstream file(fmt::format("/proc/{}/statm", program.pid));
        uint64_t size = 0, resident = 0;
        if (file >> size >> resident) return resident * static_cast<uint64_t>(getpagesize());
    }
    const std::vector<RssSample>& samples = dump.so_far().samples;
    return samples.empty() ? 0 : samples.back().rss;
}

uint64_t own_resident_now(const LiveDump& dump) {
    const std::vector<RssSample>& samples = dump.so_far().samples;
    const auto last = std::find_if(samples.rbegin(), samples.rend(),
                                   [](const RssSample& sample) { return sample.own != 0; });
    return last == samples.rend() ? 0 : last->own;
}

TopProgram facts_of(const RecordedProgram& program, const LiveDump& dump) {
    TopProgram facts;
    const Model& model = dump.so_far();
    facts.command = command_of(model.process);
    facts.pid = program.pid != 0 ? program.pid : model.process.pid;
    facts.time_ns = dump.now_ns();
    facts.dump_bytes = dump.dump_bytes();
    facts.is_running = dump.is_running();
    facts.lags = dump.lags();
    facts.recording_off = off_text(dump.gaps(), facts.is_running ? program.pid : 0);
    facts.resident = curve_of(model.samples);
    if (const uint64_t resident = resident_now(program, dump)) facts.resident.push_back(resident);
    facts.own_resident = own_resident_now(dump);
    return facts;
}

}  // namespace memtrace::analyzer
