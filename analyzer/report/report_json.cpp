// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/json_text.h"
#include "analyzer/base/paths.h"
#include "analyzer/frames/json_frames.h"
#include "analyzer/model/estimate.h"
#include "analyzer/model/known_modules.h"
#include "analyzer/report/report_gpu.h"
#include "analyzer/report/report_lost.h"
#include "analyzer/sites/json_sites.h"
#include "analyzer/sites/unwind_gaps.h"

namespace memtrace::analyzer {
namespace {

// Returns 3 for "RANK=3", the text itself if it is not a number, and null if it is empty.
Json rank_of(const ProcessInfo& process) {
    if (process.rank.empty()) return nullptr;
    const std::string value = process.rank.substr(process.rank.find('=') + 1);  // npos + 1 is 0.
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size()) return number;
    return value;
}

Json bytes_or_null(uint64_t bytes) { return bytes == 0 ? Json(nullptr) : Json(bytes); }

Json program_json(const ProcessInfo& process) {
    return {{"command", process.command},
            {"pid", process.pid},
            {"rank", rank_of(process)},
            {"duration_ns", process.duration_ns},
            {"work_end_ns", process.work_end_ns ? Json(*process.work_end_ns) : Json(nullptr)},
            {"end", process.end},
            {"executable", process.executable},
            {"parent_pid", process.parent_pid},
            {"forked_from", process.forked_from == 0 ? Json(nullptr) : Json(process.forked_from)},
            {"children", process.children},
            {"start_realtime_ns", process.start_realtime_ns},
            {"rank_variable", process.rank},
            {"shim_version", process.shim_version},
            {"machine_memory_bytes", bytes_or_null(process.machine_memory)},
            {"memory_limit_bytes", bytes_or_null(process.memory_limit)}};
}

// Reasons that are newer than this program have no word and share the key "other".
template <class Reason>
std::string key_of(Reason reason) {
    const std::string_view word = word_of(reason);
    return std::string(word.empty() ? "other" : word);
}

template <class Reason>
Json reasons_json(const std::map<Reason, uint64_t>& captures) {
    Json json = Json::object();
    for (const auto& [reason, count] : captures) {
        Json& sum = json[key_of(reason)];  // Several reasons may be newer than this program.
        sum = sum.is_null() ? count : sum.get<uint64_t>() + count;
    }
    return json;
}

// Returns how the Python parts of stacks were found, with the captures that have gaps.
Json python_json(const Capture& capture) {
    const PythonWalks& walks = capture.python_walks;
    return {{"stacks", walks.stacks},
            {"empty", walks.empty},
            {"foreign", walks.foreign},
            {"unread", walks.unread},
            {"frames", walks.frames},
            {"kept", walks.kept},
            {"gaps", reasons_json(capture.python_gaps)}};
}

Json tables_json(const Capture& capture) {
    if (!capture.tables) return nullptr;
    const ShimTables& tables = *capture.tables;
    return {{"stacks_bytes", tables.stacks},
            {"rules_bytes", tables.rules},
            {"python_bytes", tables.python},
            {"threads_bytes", tables.threads},
            {"thread_max_bytes", tables.thread_max}};
}

Json counts_json(const ModuleCounts& counts) {
    Json json = Json::object();
    for (const ModuleCount& count : counts) json[count.module] = count.captures;
    return json;
}

Json cut_modules_json(const UnwindGaps& gaps) {
    Json json = Json::object();
    for (const auto& [cut, counts] : gaps.ends) json[key_of(cut)] = counts_json(counts);
    return json;
}

Json python_objects_json(const Model& model) {
    if (!model.capture.python_objects) return nullptr;
    const ObjectsInfo& info = *model.capture.python_objects;
    return {{"state", word_of(info.state)},
            {"why", info.why},
            {"sample_interval", info.interval == 0 ? Json(nullptr) : Json(info.interval)},
            {"sampled", info.interval == 0 ? Json(nullptr) : Json(info.sampled)},
            {"arena_bytes_at_peak", info.arena_bytes_at_peak},
            {"arena_bytes_at_end", info.arena_bytes},
            {"gone_with_arenas", info.gone_with_arenas}};
}

Json anomalies_json(const Capture& capture) {
    Json list = Json::array();
    for (const AnomalyInfo& anomaly : capture.first_anomalies) {
        list.push_back({{"time_ns", anomaly.time_ns},
                        {"address", fmt::format("{:#x}", anomaly.address)},
                        {"what", anomaly.what}});
    }
    return list;
}

// When an exact recording of the heap became a sample.
Json sampled_from(const Space* host) {
    return host != nullptr && host->exact_until_ns ? Json(*host->exact_until_ns) : Json(nullptr);
}

// The times that were not recorded. `to_ns` is null if the recording was not switched on again.
Json gaps_json(const Capture& capture) {
    Json json = Json::array();
    for (const RecordingGap& gap : capture.gaps) {
        json.push_back(
            {{"from_ns", gap.begin_ns}, {"to_ns", gap.end_ns ? Json(*gap.end_ns) : Json(nullptr)}});
    }
    return json;
}

// When the recording began, from the start of the program; null: it did not.
Json recorded_from(const Capture& capture) {
    if (capture.gaps.empty() || capture.gaps[0].begin_ns != 0) return 0;
    return capture.gaps[0].end_ns ? Json(*capture.gaps[0].end_ns) : Json(nullptr);
}

Json capture_json(const Recording& recording) {
    const Capture& capture = recording.model.capture;
    const uint64_t complete = captures_complete(recording);
    const UnwindGaps gaps = unwind_gaps(recording);
    const Space* const host = find_space(recording.model, "host");
    return {{"mode", host != nullptr && host->is_estimate ? "sample" : "full"},
            {"sampled_from_ns", sampled_from(host)},
            {"recorded_from_ns", recorded_from(capture)},
            {"gaps", gaps_json(capture)},
            {"earlier_frees", capture.earlier_frees},
            {"events", capture.events},
            {"lost_events", capture.lost_events},
            {"lost_events_exact", knows_all_that_was_lost(recording.model)},
            {"anomalies", capture.anomalies},
            {"first_anomalies", anomalies_json(capture)},
            {"dump_bytes", capture.dump_bytes},
            {"stacks", capture.stacks},
            {"captures", capture.captures},
            {"captures_complete", complete},
            {"captures_truncated", capture.captures - complete},
            {"captures_guessed", gaps.guessed},
            {"python", python_state_text(recording.model)},
            {"python_objects", python_objects_json(recording.model)},
            {"gpu", gpu_state_text(recording.model)},
            {"inherited_frees", capture.inherited_frees},
            {"cuts", reasons_json(capture.cuts)},
            {"cut_modules", cut_modules_json(gaps)},
            {"guessed_modules", counts_json(gaps.guessed_in)},
            {"frames",
             {{"walked", capture.walks.walked},
              {"verified", capture.walks.verified},
              {"splices", capture.walks.splices},
              {"mismatches", capture.walks.mismatches},
              {"bridged", capture.walks.bridged},
              {"guessed", capture.walks.guessed}}},
            {"captures_recognised", capture.walks.recognised},
            {"python_walks", python_json(capture)},
            {"shim_tables", tables_json(capture)},
            {"options", recording.model.options}};
}

Json problems_json(const Recording& recording) {
    Json json = Json::array();
    for (const auto* problems : {&recording.model.problems, &recording.symbols.problems}) {
        for (const Problem& problem : *problems) {
            json.push_back(
                {{"what", problem.what}, {"offset", problem.offset}, {"bytes", problem.bytes}});
        }
    }
    return json;
}

Json totals_json(const Totals& totals) {
    return {{"allocations", totals.allocations},
            {"frees", totals.frees},
            {"allocated_bytes", totals.allocated_bytes},
            {"leaked_blocks", totals.live_blocks},
            {"leaked_bytes", totals.live_bytes}};
}

Json space_json(const Space& space) {
    Json json{{"allocations", space.totals.allocations},
              {"frees", space.totals.frees},
              {"allocated_bytes", space.totals.allocated_bytes},
              {"peak_bytes", space.totals.own_peak_bytes},
              {"peak_time_ns", space.peak_time_ns},
              {"leaked_blocks", space.totals.live_blocks},
              {"leaked_bytes", space.totals.live_bytes},
              {"held_blocks", space.totals.held_blocks},
              {"held_bytes", space.totals.held_bytes},
              {"temporary", knows_temporary(space) ? Json(space.totals.temporary) : Json(nullptr)},
              {"at_peak_blocks", space.totals.at_peak_blocks},
              {"sites", space.sites.size()}};
    if (space.is_estimate) {
        json.update({{"is_estimate", true}, {"sample_interval", space.sample_interval}});
        json.update({{"sampled", space.sampled}, {"ranges", ranges_json(space)}});
    }
    if (space.unsure_blocks != 0 || space.unsure_at_peak_bytes != 0) {
        json.update({{"unsure_blocks", space.unsure_blocks},
                     {"unsure_bytes", space.unsure_bytes},
                     {"unsure_at_peak_bytes", space.unsure_at_peak_bytes}});
    }
    for (const auto& [name, totals] : space.classes) json["classes"][name] = totals_json(totals);
    return json;
}

Json spaces_json(const Model& model) {
    Json json;
    // Readers may rely on "host", even if a program never allocates.
    if (find_space(model, "host") == nullptr) json["host"] = space_json(Space{});
    for (const Space& space : model.spaces) json[space.name] = space_json(space);
    return json;
}

Json threads_json(const Model& model) {
    Json json = Json::array();
    for (const ThreadInfo& thread : model.threads) {
        json.push_back({{"tid", thread.tid},
                        {"name", thread.name},
                        {"start_ns", thread.start_ns},
                        {"end_ns", thread.end_ns ? Json(*thread.end_ns) : Json(nullptr)},
                        {"allocations", thread.allocations},
                        {"allocated_bytes", thread.allocated_bytes}});
        if (thread.merged != 0) json.back()["ended_threads"] = thread.merged;
    }
    return json;
}

Json modules_json(const Recording& recording) {
    static constexpr std::array names{"none", "rebuilt", "symbols", "lines"};
    Json json = Json::array();
    for (const auto& [id, known] : recording.symbols.modules) {
        const ModuleInfo& module = recording.model.stacks.modules.at(id);
        json.push_back({{"path", module.path},
                        {"build_id", hex(module.build_id)},
                        {"names", names[static_cast<size_t>(known)]}});
    }
    return json;
}

Json notes_json(const Recording& recording) {
    Json json = Json::array();
    for (const NoteInfo& note : recording.model.notes) {
        json.push_back({{"subject", note.subject}, {"text", note.text}});
    }
    for (const std::string& note : recording.symbols.notes) {
        json.push_back({{"subject", "names"}, {"text", note}});
    }
    return json;
}

Json marks_json(const Model& model) {
    static constexpr std::array kinds{"mark", "begin", "end"};
    Json json = Json::array();
    for (const MarkInfo& mark : model.marks) {
        const auto kind = static_cast<size_t>(mark.kind);
        json.push_back({{"time_ns", mark.time_ns},
                        {"kind", kind < kinds.size() ? kinds[kind] : "other"},
                        {"text", mark.text}});
    }
    return json;
}

Json samples_json(const Model& model) {
    Json json = Json::array();
    for (const RssSample& sample : model.samples) {
        json.push_back({{"time_ns", sample.time_ns},
                        {"rss", sample.rss},
                        {"pss", sample.pss},
                        {"own", sample.own}});
    }
    return json;
}

bool is_listed(const Totals& totals, SiteFilter filter) {
    switch (filter) {
        case SiteFilter::all: return true;
        case SiteFilter::leaked:
            return totals.live_blocks != 0 || totals.held_blocks != 0 || totals.live_bytes != 0 ||
                   totals.held_bytes != 0;
        case SiteFilter::at_peak: return totals.at_peak_blocks != 0 || totals.at_peak_bytes != 0;
        case SiteFilter::none: return false;
    }
    return false;
}

}  // namespace

void write_json(const Recording& recording, SiteFilter filter,
                const std::function<void(std::string_view)>& write, const JsonOptions& options) {
    // A list of the phases of a range has figures of phases, and the Model those of all the run.
    const auto& phases = recording.model.phases;
    const bool is_list_of_range = phases && phases->range && !recording.model.phase;
    Json json{{"schema", 1},
              {"dump", recording.path},
              {"program", program_json(recording.model.process)},
              {"capture", capture_json(recording)},
              {"damaged", is_incomplete(recording.model)},
              {"problems", problems_json(recording)},
              {"notes", notes_json(recording)},
              {"spaces", is_list_of_range ? Json(nullptr) : spaces_json(recording.model)},
              {"threads", threads_json(recording.model)},
              {"modules", modules_json(recording)},
              {"samples", samples_json(recording.model)},
              {"marks", marks_json(recording.model)},
              {"gpu", gpu_json(recording.model)}};
    if (Json lost = lost_json(recording.model); !lost.is_null()) json["lost"] = std::move(lost);
    add_selection(json, recording.model);
    std::string head = json_text(json, 2);
    head.erase(head.rfind('\n'));  // The document continues before its closing bracket.
    if (!options.more.empty()) head += ",\n  " + options.more;
    write(head + ",\n  \"sites\": [");
    write_json_sites(recording, [&](const Totals& totals) { return is_listed(totals, filter); },
                     write, {options.frames_max, options.interpreter_frames});
    write("\n  ]\n}\n");
}

}  // namespace memtrace::analyzer
