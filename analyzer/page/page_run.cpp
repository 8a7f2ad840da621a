// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_run.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/model/estimate.h"
#include "analyzer/model/run_watch.h"
#include "analyzer/model/selection.h"
#include "analyzer/page/page_course.h"
#include "analyzer/phases/mark_ranges.h"
#include "analyzer/report/report_host.h"
#include "analyzer/report/report_parts.h"
#include "analyzer/report/report_summary.h"
#include "analyzer/sites/gpu_table.h"
#include "analyzer/sites/recording_times.h"
#include "analyzer/sites/short_notes.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t samples_max = 1200;
constexpr size_t phases_max = 750;
constexpr size_t marks_max = 750;
constexpr size_t refusals_max = 200;
constexpr size_t mark_max = 200;   // bytes of a mark's text
constexpr size_t text_max = 2000;  // bytes of a command or a remark

std::string cut(const std::string& text, size_t most = text_max) {
    return text.size() <= most ? text : std::string(begin_of(text, most)) + "…";
}

std::string command_of(const ProcessInfo& process, const PageOptions& options) {
    std::string text;
    for (const std::string& word : process.command) {
        const std::string shown = options.short_paths ? path_without_folders(word) : word;
        text += (text.empty() ? "" : " ") + shown;
        if (!options.with_command) return cut(base_name(word));
        if (text.size() > text_max) break;
    }
    return cut(text);
}

std::string command_of(const Model& model, const PageOptions& options) {
    if (!model.process.command.empty()) return command_of(model.process, options);
    const std::string text = program_text(model);
    return cut(options.short_paths || !options.with_command ? path_without_folders(text) : text);
}

// Returns the number of different commands in a sum of several recordings.
size_t count_commands(const Recording& recording) {
    std::set<std::vector<std::string>> commands;
    for (const ProcessPart& part : recording.merged.processes) {
        commands.insert(part.process.command);
    }
    return std::max<size_t>(commands.size(), 1);
}

// Returns the command without the folder of its program, and how many others there are in a sum of
// several recordings. A script says more than its interpreter.
std::string title_of(const Recording& recording, const PageOptions& options) {
    const std::vector<std::string>& command = recording.model.process.command;
    if (command.empty() || !options.with_command) {
        return base_name(command_of(recording.model, options));
    }
    const bool is_script = base_name(command[0]).starts_with("python") && command.size() > 1 &&
                           !command[1].starts_with('-');
    std::string text = base_name(command[is_script ? 1 : 0]);
    for (size_t i = is_script ? 2 : 1; i < command.size() && text.size() <= text_max; ++i) {
        text += " " + (options.short_paths ? path_without_folders(command[i]) : command[i]);
    }
    const size_t others = count_commands(recording) - 1;
    return cut(text) + (others == 0 ? "" : ", and " + counted(others, "other command"));
}

}  // namespace

namespace {

// What the figures of a sample are worth: a sentence, and how far off some bytes may be.
Json sample_json(const Model& model) {
    const Space* const host = find_space(model, "host");
    if (host == nullptr || host->sample_interval == 0) return nullptr;
    const uint64_t some = 16 * host->sample_interval;
    return {{"text", sample_text(model)},
            {"bytes", some},
            {"off", estimate_error_text(some, host->sample_interval)}};
}

}  // namespace

Json page_program_json(const Recording& recording, const PageNames& names,
                       const PageOptions& options) {
    const ProcessInfo& process = recording.model.process;
    const Capture& capture = recording.model.capture;
    const std::string dump = base_name(recording.path);
    return {{"command", command_of(recording.model, options)},
            {"title", title_of(recording, options)},
            {"dump", options.with_command ? names.shown_path(dump) : "DUMP"},
            {"is_compacted", recording.is_compacted},
            {"pid", process.pid},
            {"processes", std::max<size_t>(recording.merged.processes.size(), 1)},
            {"commands", count_commands(recording)},
            {"rank", process.rank},
            {"start_ns", process.start_realtime_ns},
            {"duration_ns", process.duration_ns},
            {"work_end_ns", process.work_end_ns ? Json(*process.work_end_ns) : Json(nullptr)},
            {"end", cut(process.end)},
            {"machine_memory", process.machine_memory},
            {"memory_limit", process.memory_limit},
            {"events", capture.events},
            {"lost_events", known_to_be_lost(recording.model)},
            {"lost_events_exact", knows_all_that_was_lost(recording.model)},
            {"anomalies", capture.anomalies},
            {"sample", sample_json(recording.model)},
            {"captures", capture.captures},
            {"captures_complete", captures_complete(recording)},
            {"dump_bytes", capture.dump_bytes},
            {"threads", count_threads(recording.model.threads)},
            {"python", python_state_text(recording.model)},
            {"python_objects", python_objects_text(recording.model)},
            {"gpu", gpu_state_text(recording.model)},
            {"damaged", is_incomplete(recording.model)},
            {"version", MEMTRACE_VERSION}};
}

namespace {

Json slices_json(const RunSlices& slices) {
    Json ends = Json::array(), steps = Json::array(), parts = Json::array();
    for (const RunSlice& slice : slices.slices) {
        ends.push_back(slice.end_ns);
        steps.push_back(slice.steps);
        parts.push_back(slice.is_part ? 1 : 0);
    }
    return {{"end_ns", std::move(ends)},      {"steps", std::move(steps)},
            {"is_part", std::move(parts)},    {"step", cut(slices.step)},
            {"all_steps", slices.steps},      {"is_found", slices.is_found},
            {"is_trimmed", slices.is_trimmed}};
}

// Returns the filters as words of a command.
Json filters_json(const Model& model, const PageOptions& options) {
    Json json = Json::array();
    if (!model.filters) return json;
    for (const std::string& word : filter_words(model.filters->filters)) {
        json.push_back(cut(options.short_paths ? with_short_paths(word) : word));
    }
    return json;
}

// Returns the times in which events are missing: [[begin, end], …]
Json lost_json(const Model& model) {
    Json json = Json::array();
    if (model.watch == nullptr) return json;
    for (const LostTime& lost : model.watch->lost) json.push_back({lost.begin_ns, lost.end_ns});
    return json;
}

// Of neighbours that are too many for a screen, the largest stands for all.
Json samples_json(const std::vector<RssSample>& samples) {
    Json json = Json::array();
    const size_t group = samples.size() / samples_max + 1;
    for (size_t i = 0; i < samples.size(); i += group) {
        const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(group, samples.size() - i));
        const RssSample& largest = *std::max_element(
            begin, end, [](const RssSample& a, const RssSample& b) { return a.rss < b.rss; });
        json.push_back({largest.time_ns, largest.rss});
    }
    return json;
}

// The longest phases, each whole: [[begin, end or null, depth, name], …]. `left_out`: how many more
// there are, and how many of which the recording does not list the end.
Json phases_json(const Model& model, Json& left_out, Json& remarks) {
    const MarkRanges found = ranges_of_marks(model);
    Json json = Json::array();
    for (const MarkRange& range :
         longest_ranges(found.ranges, phases_max, model.process.duration_ns)) {
        json.push_back({range.begin_ns, range.end_ns ? Json(*range.end_ns) : Json(nullptr),
                        range.depth, cut(std::string(range.name), mark_max)});
    }
    if (json.size() < found.ranges.size()) {
        remarks.push_back({"phases", exact_count(found.ranges.size()) +
                                         " phases, of which the page has the " +
                                         exact_count(phases_max) + " longest"});
    }
    left_out["phases"] = found.ranges.size() - json.size();
    left_out["phases_without_end"] = found.without_end;
    return json;
}

// Marks that are no phases: [[time, text], …]. Of too many, those are left out that lie between
// others.
Json marks_json(const Model& model, Json& left_out, Json& remarks) {
    std::vector<const MarkInfo*> marks;
    for (const MarkInfo& mark : model.marks) {
        if (mark.kind == MarkKind::mark) marks.push_back(&mark);
    }
    Json json = Json::array();
    const size_t shown = std::min(marks.size(), marks_max);
    for (size_t i = 0; i < shown; ++i) {
        const MarkInfo& mark = *marks[i * marks.size() / shown];
        json.push_back({mark.time_ns, cut(mark.text, mark_max)});
    }
    if (shown < marks.size()) {
        remarks.push_back({"marks", exact_count(marks.size()) + " marks, of which the page has " +
                                        exact_count(marks_max)});
    }
    left_out["marks"] = marks.size() - shown;
    return json;
}

Json refusals_json(const Model& model, Json& remarks) {
    Json json = Json::array();
    for (const GpuRefusal& refusal : model.gpu.refusals) {
        if (json.size() == refusals_max) break;
        json.push_back({refusal.time_ns, refusal.size, refusal.device});
    }
    const uint64_t more = model.gpu.refusals.size() - json.size() + model.gpu.refusals_more;
    if (more != 0) {
        remarks.push_back(
            {"refusals", exact_count(more) + " refused requests more than the page has"});
    }
    return json;
}

}  // namespace

Json page_remarks_json(const Recording& recording, const PageOptions& options) {
    Json remarks = Json::array();
    const auto say = [&](const std::string& subject, const std::string& text) {
        const std::string said = cut(text);
        remarks.push_back({subject, options.short_paths ? with_short_paths(said) : said});
    };
    const Model& model = recording.model;
    for (const auto* problems : {&model.problems, &recording.symbols.problems}) {
        for (const Problem& problem : *problems) say("problem", problem.what);
    }
    for (const NoteInfo& note : short_notes(model.notes)) say(note.subject, note.text);
    for (const std::string& note : recording.symbols.notes) say("names", note);
    for (const std::string& clause : recording_times(model)) say("recording", clause);
    if (const std::string frees = earlier_frees_text(model.capture); !frees.empty()) {
        say("recording", "there were " + frees);
    }
    if (model.filters) say("filters", "only " + filters_text(model.filters->filters));
    const std::string host = no_host_ledger(recording);
    if (!host.empty()) say("host", "no ledger of the resident set: " + host);
    const bool has_steps = model.slices.steps != 0;
    if (!model.loops.why_none.empty() && !has_steps)
        say("steps", "none were found: " + model.loops.why_none);
    return remarks;
}

Json page_run_json(const Recording& recording, const PageNames& names, const PageOptions& options) {
    const Model& model = recording.model;
    Json remarks = page_remarks_json(recording, options);
    Json left_out = Json::object();
    Json json{{"program", page_program_json(recording, names, options)},
              {"filters", filters_json(model, options)},
              {"slices", slices_json(model.slices)},
              {"nothing", no_space_text(model)},
              {"no_course", no_course_text(recording)},
              {"course_ends", course_ends_json(model)},
              {"lost", lost_json(model)},
              {"samples", samples_json(model.samples)},
              {"phases", phases_json(model, left_out, remarks)},
              {"marks", marks_json(model, left_out, remarks)},
              {"refusals", refusals_json(model, remarks)}};
    json["left_out"] = std::move(left_out);
    json["remarks"] = std::move(remarks);
    return json;
}

}  // namespace memtrace::analyzer
