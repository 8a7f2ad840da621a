// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/recording_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t pauses_shown = 3;

// True if the recording began later than the program. The times of other gaps are never 0.
bool begins_late(const std::vector<RecordingGap>& gaps) {
    return !gaps.empty() && gaps.front().begin_ns == 0;
}

std::string command_text(uint64_t pid, const char* what) {
    return pid == 0 ? "" : fmt::format("memtrace start {} {}", pid, what);
}

std::string pauses_text(const std::vector<RecordingGap>& gaps) {
    std::string text;
    size_t pauses = 0;
    for (const RecordingGap& gap : gaps) {
        if (gap.begin_ns == 0 || !gap.end_ns) continue;
        if (++pauses > pauses_shown) continue;
        text += fmt::format("{}from {} to {}", text.empty() ? "" : ", ", human_time(gap.begin_ns),
                            human_time(*gap.end_ns));
    }
    if (pauses == 0) return "";
    if (pauses > pauses_shown) text += fmt::format(" and {} times more", pauses - pauses_shown);
    return "not recorded " + text;
}

// Blocks of the last part are sure if it goes on to the end. If it does not, what is held is said
// to be that of an earlier moment.
std::string unsure_text(const Model& model) {
    std::string text;
    for (const Space& space : model.spaces) {
        if (space.unsure_blocks == 0) continue;
        text += fmt::format("{}{} {}{} in {}", text.empty() ? "" : ", ", printable(space.name),
                            space.is_estimate ? "~" : "",
                            human_bytes(std::min(space.unsure_bytes, space.totals.live_bytes)),
                            counted(space.unsure_blocks, "block"));
    }
    if (text.empty()) return "";
    return "of what is held at the end, this is from before the recording was off, and may be gone "
           "since: " +
           text;
}

std::string unsure_peak_text(const Model& model) {
    std::string text;
    for (const Space& space : model.spaces) {
        if (space.unsure_at_peak_bytes == 0) continue;
        text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", printable(space.name),
                            human_bytes(space.unsure_at_peak_bytes));
    }
    return text.empty() ? "" : "for the same reason peaks may be too high: " + text + " at most";
}

}  // namespace

bool is_never_on(const std::vector<RecordingGap>& gaps) {
    return gaps.size() == 1 && gaps[0].begin_ns == 0 && !gaps[0].end_ns;
}

bool holds_unsure(const Model& model) {
    // What is held at the end of a recording that was stopped was held then.
    if (model.capture.gaps.empty() || !model.capture.gaps.back().end_ns) return false;
    return std::any_of(model.spaces.begin(), model.spaces.end(),
                       [](const Space& space) { return space.unsure_blocks != 0; });
}

std::string off_text(const std::vector<RecordingGap>& gaps, uint64_t pid) {
    if (gaps.empty() || gaps.back().end_ns) return "";
    if (is_never_on(gaps)) {
        return pid == 0
                   ? "the recording was never begun: nobody ran memtrace start, or nothing was "
                     "allocated after it"
                   : "the recording has not begun: " + command_text(pid, "begins it");
    }
    const std::string text = fmt::format("recording stopped after {}; shown is what was held then",
                                         human_time(gaps.back().begin_ns));
    return pid == 0 ? text : text + "; " + command_text(pid, "goes on");
}

std::vector<std::string> recording_times(const Model& model) {
    const std::vector<RecordingGap>& gaps = model.capture.gaps;
    std::vector<std::string> clauses;
    const auto add = [&](std::string text) {
        if (!text.empty()) clauses.push_back(std::move(text));
    };
    if (begins_late(gaps) && gaps[0].end_ns) {
        add(fmt::format("recording began {} after the program's start, by memtrace start",
                        human_time(*gaps[0].end_ns)));
    }
    add(pauses_text(gaps));
    const std::string off = off_text(gaps, model.process.pid_here);
    if (off.empty()) add(unsure_text(model));
    add(unsure_peak_text(model));
    add(off);
    return clauses;
}

std::string no_course_text(const Recording& recording) {
    const Model& model = recording.model;
    if (!model.slices.slices.empty() || model.watch != nullptr) return {};
    if (recording.merged.left_out.histories) {
        return "This profile is of several processes that did not do the same marked steps, so it "
               "has no course: what was held over time is in the profile of each process.";
    }
    return "This profile has no course: what was held over time was not kept in it.";
}

std::string earlier_frees_text(const Capture& capture) {
    if (capture.earlier_frees == 0) return "";
    const bool is_simple = capture.gaps.size() == 1 && begins_late(capture.gaps);
    return fmt::format("{} of blocks from {}", counted(capture.earlier_frees, "free"),
                       is_simple ? "before the recording began" : "times that were not recorded");
}

}  // namespace memtrace::analyzer
