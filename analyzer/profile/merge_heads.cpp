// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "analyzer/base/units.h"
#include "analyzer/profile/profile_parts.h"
#include "analyzer/sites/recording_times.h"

namespace memtrace::analyzer {
namespace {

constexpr const char* not_all = "not all processes recorded all of them";

ProcessPart process_of(const Recording& recording) {
    const Model& model = recording.model;
    ProcessPart part;
    part.path = recording.path;
    part.process = model.process;
    part.events = model.capture.events;
    part.lost_events = model.capture.lost_events;
    part.damaged = model.damaged;
    for (const RssSample& sample : model.samples) {
        part.peak_rss = std::max(part.peak_rss, sample.rss);
    }
    for (const Space& space : model.spaces) {
        const Totals& totals = space.totals;
        PartSpace& of_part = part.spaces.emplace_back();
        of_part = {space.name,         space.is_estimate,  totals.own_peak_bytes,
                   space.peak_time_ns, totals.allocations, totals.allocated_bytes,
                   totals.live_blocks, totals.live_bytes,  {}};
        for (const HeldPoint& point : space.history.held) {
            of_part.timeline.emplace_back(model.slices.slices[point.slice].end_ns, point.bytes);
        }
    }
    return part;
}

// Returns the number in "RANK=3"; the largest number if there is none.
uint64_t rank_of(const ProcessInfo& process) {
    const size_t equals = process.rank.find('=');
    uint64_t rank = UINT64_MAX;
    if (equals == std::string::npos) return rank;
    const char* const begin = process.rank.data() + equals + 1;
    std::from_chars(begin, process.rank.data() + process.rank.size(), rank);
    return rank;
}

std::string name_of(const ProcessPart& part) {
    const std::string pid = fmt::format("process {}", part.process.pid);
    return part.process.rank.empty() ? pid : fmt::format("{} ({})", pid, part.process.rank);
}

void sort(std::vector<ProcessPart>& processes) {
    using Key = std::tuple<uint64_t, uint64_t, uint64_t, std::string>;
    std::vector<std::pair<Key, ProcessPart>> keyed;
    for (ProcessPart& part : processes) {
        const ProcessInfo& process = part.process;
        Key key{rank_of(process), process.start_realtime_ns, process.pid, content_of(part)};
        keyed.emplace_back(std::move(key), std::move(part));
    }
    std::sort(keyed.begin(), keyed.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    processes.clear();
    for (auto& [key, part] : keyed) processes.push_back(std::move(part));
}

template <class Record>
void add_record(Record& sum, const Record& part) {
    std::vector<uint64_t> values;
    Record::fields(part, [&](const char*, const auto& value, auto) { values.push_back(value); });
    size_t next = 0;
    Record::fields(sum, [&](const char*, auto& value, auto) { value += values[next++]; });
}

// Python that is on in one process matters more than its absence in others.
void add_python(PythonInfo& sum, const PythonInfo& part) {
    const auto key = [](const PythonInfo& info) {
        const int order = info.state == PythonState::on ? 2 : info.state == PythonState::off;
        return std::tuple(order, info.version, info.why);
    };
    if (key(sum) < key(part)) sum = part;
}

void add_objects(ObjectsInfo& sum, const ObjectsInfo& part) {
    sum.why = std::max(sum.why, part.why);
    if (sum.state != part.state) {
        sum.state = PythonObjectsState::late;
        sum.why = std::max(sum.why, std::string(not_all));
    }
    sum.interval = std::max(sum.interval, part.interval);
    sum.sampled += part.sampled;
    sum.arena_bytes_at_peak += part.arena_bytes_at_peak;
    sum.arena_bytes += part.arena_bytes;
    sum.gone_with_arenas += part.gone_with_arenas;
}

// The value that all processes have; `none` if they differ.
template <class Value>
Value common(const std::vector<ProcessPart>& processes, Value ProcessInfo::*member, Value none) {
    const Value& first = processes[0].process.*member;
    const bool is_common =
        std::all_of(processes.begin(), processes.end(),
                    [&](const ProcessPart& part) { return part.process.*member == first; });
    return is_common ? first : none;
}

std::string ends_of(const std::vector<ProcessPart>& processes) {
    std::map<std::string, uint64_t> counts;
    for (const ProcessPart& part : processes) counts[part.process.end] += 1;
    if (counts.size() == 1) return processes[0].process.end;
    std::string text;
    for (const auto& [end, count] : counts) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", end, count);
    }
    return text;
}

// Returns the time from the start of the first process to the end of the last. Processes without a
// clock count by their duration alone.
uint64_t span_of(const std::vector<ProcessPart>& processes) {
    uint64_t begin = UINT64_MAX, end = 0, longest = 0;
    for (const ProcessPart& part : processes) {
        const ProcessInfo& process = part.process;
        longest = std::max(longest, process.duration_ns);
        if (process.start_realtime_ns == 0) continue;
        begin = std::min(begin, process.start_realtime_ns);
        end = std::max(end, process.start_realtime_ns + process.duration_ns);
    }
    return end > begin ? std::max(longest, end - begin) : longest;
}

}  // namespace

std::vector<ProcessPart> processes_of(const Recording& recording) {
    if (!recording.merged.processes.empty()) return recording.merged.processes;
    return {process_of(recording)};
}

void HeadSums::add(const Recording& part) {
    const std::vector<ProcessPart> processes = processes_of(part);
    processes_.insert(processes_.end(), processes.begin(), processes.end());
    damaged_ = damaged_ || part.model.damaged;
    add_texts(part);
    add_capture(part.model.capture);
    add_threads(part.model.threads);
    add_left_out(part);
    searches_.add(part, processes.size());
    is_first_ = false;
}

void HeadSums::add_texts(const Recording& part) {
    const Model& model = part.model;
    if (is_first_) options_ = model.options;
    std::erase_if(options_, [&](const auto& option) {
        const auto found = model.options.find(option.first);
        return found == model.options.end() || found->second != option.second;
    });
    const bool is_merged = !part.merged.processes.empty();
    for (const NoteInfo& note : model.notes) {
        if (!is_merged || note.subject != subject) notes_.emplace(note.subject, note.text);
    }
    if (!is_merged) {  // The times are those of single processes.
        for (const std::string& clause : recording_times(model)) {
            notes_.emplace("recording", name_of(processes_.back()) + ": " + clause);
        }
    }
    const std::string prefix = is_merged ? "" : name_of(processes_.back()) + ": ";
    for (const Problem& problem : model.problems) {
        problems_.emplace(prefix + problem.what, problem.offset, problem.bytes);
    }
    for (const Problem& problem : part.symbols.problems) {
        name_problems_.emplace(problem.what, problem.offset, problem.bytes);
    }
    if (!model.program_suppressions.empty())
        program_suppressions_.insert(model.program_suppressions + "\n");
    name_notes_.insert(part.symbols.notes.begin(), part.symbols.notes.end());
}

void HeadSums::add_capture(const Capture& part) {
    Capture& sum = capture_;
    sum.events += part.events;
    sum.lost_events += part.lost_events;
    sum.anomalies += part.anomalies;
    sum.inherited_frees += part.inherited_frees;
    sum.earlier_frees += part.earlier_frees;
    sum.dump_bytes += part.dump_bytes;
    sum.stacks += part.stacks;
    sum.captures += part.captures;
    sum.captures_truncated += part.captures_truncated;
    for (const auto& [cut, count] : part.cuts) sum.cuts[cut] += count;
    for (const auto& [gap, count] : part.python_gaps) sum.python_gaps[gap] += count;
    add_record(sum.walks, part.walks);
    add_record(sum.python_walks, part.python_walks);
    if (part.python && !sum.python) sum.python = part.python;
    else if (part.python) add_python(*sum.python, *part.python);
    if (part.python_objects && !sum.python_objects) sum.python_objects = part.python_objects;
    else if (part.python_objects) add_objects(*sum.python_objects, *part.python_objects);
    if (!part.tables) return;
    if (!sum.tables) sum.tables.emplace();
    const uint64_t thread_max = std::max(sum.tables->thread_max, part.tables->thread_max);
    add_record(*sum.tables, *part.tables);
    sum.tables->thread_max = thread_max;
}

// Threads of one name become one row.
void HeadSums::add_threads(const std::vector<ThreadInfo>& threads) {
    for (const ThreadInfo& thread : threads) {
        const auto [entry, is_new] = threads_.try_emplace(thread.name, thread);
        if (is_new) continue;
        ThreadInfo& sum = entry->second;
        if (sum.tid != thread.tid) sum.tid = 0;
        sum.start_ns = std::min(sum.start_ns, thread.start_ns);
        if (sum.end_ns && thread.end_ns) sum.end_ns = std::max(*sum.end_ns, *thread.end_ns);
        else sum.end_ns.reset();
        sum.allocations += thread.allocations;
        sum.allocated_bytes += thread.allocated_bytes;
        sum.merged += thread.merged;
    }
}

// Refusals and histories are those of others to decide.
void HeadSums::add_left_out(const Recording& part) {
    const LeftOut& before = part.merged.left_out;
    const Model& model = part.model;
    left_out_.samples += before.samples + model.samples.size();
    left_out_.marks += before.marks + model.marks.size();
    left_out_.usages += before.usages + model.gpu.usages.size();
    left_out_.anomalies += before.anomalies + model.capture.first_anomalies.size();
}

void HeadSums::finish_process(Recording& sum) const {
    const ProcessPart& first = processes_[0];
    sum.path = processes_.size() == 1
                   ? first.path
                   : fmt::format("{} and {} more", first.path, processes_.size() - 1);
    ProcessInfo& process = sum.model.process;
    process = first.process;
    process.rank = common(processes_, &ProcessInfo::rank, std::string());
    process.machine_memory = common(processes_, &ProcessInfo::machine_memory, uint64_t{0});
    process.memory_limit = common(processes_, &ProcessInfo::memory_limit, uint64_t{0});
    process.duration_ns = span_of(processes_);
    process.end = ends_of(processes_);
    process.work_end_ns.reset();
    process.children = 0;
    process.half_ns = processes_.size() == 1 ? process.half_ns : 0;  // Each has its own.
    for (const ProcessPart& part : processes_) {
        process.children += part.process.children;
        const std::optional<uint64_t>& end = part.process.work_end_ns;
        if (end) process.work_end_ns = std::max(process.work_end_ns.value_or(0), *end);
        process.last_library_ns = std::max(process.last_library_ns, part.process.last_library_ns);
    }
}

// The time of a space's peak is that of the process with the largest.
void HeadSums::finish_peaks(Model& sum) const {
    std::map<std::string, std::pair<uint64_t, uint64_t>> largest;  // bytes, time
    for (const ProcessPart& part : processes_) {
        for (const PartSpace& space : part.spaces) {
            auto& [bytes, time] = largest[space.name];
            if (space.peak_bytes <= bytes) continue;
            bytes = space.peak_bytes;
            time = space.peak_time_ns;
        }
    }
    for (Space& space : sum.spaces) space.peak_time_ns = largest[space.name].second;
}

void HeadSums::add_notes(Recording& sum) const {
    std::vector<NoteInfo>& notes = sum.model.notes;
    for (const auto& [of, text] : notes_) notes.push_back({of, text});
    notes.push_back(
        {subject,
         fmt::format("{} are summed. The processes peak at different times, so each peak is the "
                     "sum of their peaks: an upper bound. Counts, and bytes allocated and "
                     "leaked, are exact sums.",
                     counted(processes_.size(), "recording"))});
    std::string list;
    const auto say = [&](uint64_t count, const char* what) {
        if (count != 0) list += (list.empty() ? "" : ", ") + counted(count, what);
    };
    const LeftOut& left_out = sum.merged.left_out;
    say(left_out.samples, "resident set sample");
    say(left_out.marks, "mark");
    say(left_out.usages, "GPU measurement");
    say(left_out.anomalies, "anomalous event");
    say(left_out.refusals, "refused GPU request");
    if (left_out.histories) {
        list += list.empty() ? "" : ", ";
        list += "growth (the processes did not do the same marked steps)";
    }
    if (list.empty()) return;
    notes.push_back({subject, "left out, because it is of single processes: " + list});
}

void HeadSums::finish(Recording& sum) {
    sort(processes_);
    Model& model = sum.model;
    finish_process(sum);
    finish_peaks(model);
    model.capture = std::move(capture_);
    model.damaged = damaged_;
    model.searches = searches_.finish();
    model.options = std::move(options_);
    for (const std::string& text : program_suppressions_) model.program_suppressions += text;
    for (auto& [name, thread] : threads_) model.threads.push_back(std::move(thread));
    for (const auto& [what, offset, bytes] : problems_) {
        model.problems.push_back({what, offset, bytes});
    }
    for (const auto& [what, offset, bytes] : name_problems_) {
        sum.symbols.problems.push_back({what, offset, bytes});
    }
    sum.symbols.notes.assign(name_notes_.begin(), name_notes_.end());
    left_out_.refusals = sum.merged.left_out.refusals;
    left_out_.refused_at_ns = sum.merged.left_out.refused_at_ns;
    left_out_.histories = sum.merged.left_out.histories;
    sum.merged.left_out = left_out_;
    add_notes(sum);
    sum.merged.processes = std::move(processes_);
}

}  // namespace memtrace::analyzer
