// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "analyzer/profile/profile.pb.h"
#include "analyzer/profile/profile_parts.h"
#include "memtrace/dump/process_records.h"
#include "memtrace/dump/python_records.h"
#include "memtrace/dump/records.h"

namespace memtrace::analyzer {
namespace {

void copy_note(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(subject);
    MEMTRACE_STORED(text);
}

void copy_problem(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(what);
    MEMTRACE_STORED(offset);
    MEMTRACE_STORED(bytes);
}

void copy_process(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(executable);
    MEMTRACE_STORED(shim_version);
    MEMTRACE_STORED(rank);
    MEMTRACE_STORED(pid);
    MEMTRACE_STORED(parent_pid);
    MEMTRACE_STORED(forked_from);
    MEMTRACE_STORED(start_realtime_ns);
    MEMTRACE_STORED(duration_ns);
    MEMTRACE_STORED(end);
    MEMTRACE_STORED_OPTIONAL(work_end_ns);
    MEMTRACE_STORED(last_library_ns);
    MEMTRACE_STORED(half_ns);
    MEMTRACE_STORED(children);
    MEMTRACE_STORED(machine_memory);
    MEMTRACE_STORED(memory_limit);
}

void copy_command(const ToFile&, const ProcessInfo& plain, stored::Process& file) {
    for (const std::string& word : plain.command) file.add_command(word);
}
void copy_command(const FromFile&, ProcessInfo& plain, const stored::Process& file) {
    plain.command.assign(file.command().begin(), file.command().end());
}

void copy_whole_process(const auto& way, auto& plain, auto& file) {
    copy_process(way, plain, file);
    copy_command(way, plain, file);
}

void copy_python(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(state);
    MEMTRACE_STORED(version);
    MEMTRACE_STORED(why);
}

void copy_objects(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(state);
    MEMTRACE_STORED(why);
    MEMTRACE_STORED(interval);
    MEMTRACE_STORED(sampled);
    MEMTRACE_STORED(arena_bytes_at_peak);
    MEMTRACE_STORED(arena_bytes);
    MEMTRACE_STORED(gone_with_arenas);
}

void copy_anomaly(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(lane);
    MEMTRACE_STORED(address);
    MEMTRACE_STORED(what);
}

void copy_gap(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(begin_ns);
    MEMTRACE_STORED_OPTIONAL(end_ns);
}

void copy_capture(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(events);
    MEMTRACE_STORED(lost_events);
    MEMTRACE_STORED(anomalies);
    MEMTRACE_STORED(inherited_frees);
    MEMTRACE_STORED(earlier_frees);
    MEMTRACE_STORED(dump_bytes);
    MEMTRACE_STORED(stacks);
    MEMTRACE_STORED(captures);
    MEMTRACE_STORED(captures_truncated);
    MEMTRACE_STORED_OPTIONAL_PART(python, copy_python);
    MEMTRACE_STORED_OPTIONAL_PART(python_objects, copy_objects);
    MEMTRACE_STORED_LIST(first_anomalies, copy_anomaly);
    MEMTRACE_STORED_LIST(gaps, copy_gap);
}

void copy_thread(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(tid);
    MEMTRACE_STORED(name);
    MEMTRACE_STORED(start_ns);
    MEMTRACE_STORED_OPTIONAL(end_ns);
    MEMTRACE_STORED(allocations);
    MEMTRACE_STORED(allocated_bytes);
    MEMTRACE_STORED(merged);
}

void copy_mark(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(kind);
    MEMTRACE_STORED(text);
}

void copy_left_out(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(samples);
    MEMTRACE_STORED(marks);
    MEMTRACE_STORED(usages);
    MEMTRACE_STORED(anomalies);
    MEMTRACE_STORED(refusals);
    MEMTRACE_STORED(refused_at_ns);
    MEMTRACE_STORED(histories);
}

void copy_timeline(const ToFile&, const PartSpace& plain, stored::PartSpace& file) {
    for (const auto& [time, bytes] : plain.timeline) {
        file.add_timeline_ns(time);
        file.add_timeline_bytes(bytes);
    }
}
void copy_timeline(const FromFile&, PartSpace& plain, const stored::PartSpace& file) {
    require_sound(file.timeline_ns_size() == file.timeline_bytes_size(), "a timeline");
    for (int i = 0; i < file.timeline_ns_size(); ++i) {
        plain.timeline.emplace_back(file.timeline_ns(i), file.timeline_bytes(i));
    }
}

void copy_part_space(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(name);
    MEMTRACE_STORED(is_estimate);
    MEMTRACE_STORED(peak_bytes);
    MEMTRACE_STORED(peak_time_ns);
    MEMTRACE_STORED(allocations);
    MEMTRACE_STORED(allocated_bytes);
    MEMTRACE_STORED(live_blocks);
    MEMTRACE_STORED(live_bytes);
    copy_timeline(way, plain, file);
}

void copy_part(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(path);
    MEMTRACE_STORED_PART(process, copy_whole_process);
    MEMTRACE_STORED(events);
    MEMTRACE_STORED(lost_events);
    MEMTRACE_STORED(damaged);
    MEMTRACE_STORED(peak_rss);
    MEMTRACE_STORED_LIST(spaces, copy_part_space);
}

void copy_search(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(stage);
    MEMTRACE_STORED(cause);
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(pause_ns);
    MEMTRACE_STORED(copies);
    MEMTRACE_STORED(threads);
    MEMTRACE_STORED(blocks);
    MEMTRACE_STORED(bytes);
    MEMTRACE_STORED(work_ns);
    MEMTRACE_STORED(later_blocks);
    MEMTRACE_STORED(gone_garbage_blocks);
    MEMTRACE_STORED(gone_garbage_bytes);
    MEMTRACE_STORED(processes);
    MEMTRACE_STORED(later_bytes);
    MEMTRACE_STORED(text);
}

void copy_model(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED_PART(process, copy_whole_process);
    MEMTRACE_STORED_PART(capture, copy_capture);
    MEMTRACE_STORED_LIST(notes, copy_note);
    MEMTRACE_STORED_LIST(problems, copy_problem);
    MEMTRACE_STORED(damaged);
    MEMTRACE_STORED_LIST(threads, copy_thread);
    MEMTRACE_STORED_LIST(marks, copy_mark);
    MEMTRACE_STORED_LIST(searches, copy_search);
    MEMTRACE_STORED(program_suppressions);
}

template <class Record>
void write_record(const Record& record, auto* column) {
    Record::fields(record, [&](const char*, const auto& value, auto) { column->Add(value); });
}

// A later version may have added fields, which are ignored.
template <class Record>
void read_record(Record& record, const auto& column) {
    int next = 0;
    Record::fields(record, [&](const char*, auto& value, auto) {
        if (next < column.size()) value = column.Get(next++);
    });
}

template <class Key>
void write_counts(const std::map<Key, uint64_t>& counts, auto* column) {
    for (const auto& [key, count] : counts) {
        column->Add(static_cast<uint64_t>(key));
        column->Add(count);
    }
}

template <class Key>
void read_counts(std::map<Key, uint64_t>& counts, const auto& column) {
    require_sound(column.size() % 2 == 0, "the counts of cut stacks");
    for (int i = 0; i + 1 < column.size(); i += 2) {
        counts[static_cast<Key>(column.Get(i))] = column.Get(i + 1);
    }
}

}  // namespace

void write_head(const Recording& recording, stored::Profile& file) {
    const Model& model = recording.model;
    file.set_path(recording.path);
    copy_model(ToFile{}, model, file);
    stored::Capture& capture = *file.mutable_capture();
    write_counts(model.capture.cuts, capture.mutable_cuts());
    write_counts(model.capture.python_gaps, capture.mutable_python_gaps());
    write_record(model.capture.walks, capture.mutable_walks());
    write_record(model.capture.python_walks, capture.mutable_python_walks());
    if (model.capture.tables) write_record(*model.capture.tables, capture.mutable_tables());
    for (const auto& [key, value] : model.options) {
        stored::Pair& option = *file.add_options();
        option.set_key(key);
        option.set_value(value);
    }
    RssSample last;
    for (const RssSample& sample : model.samples) {
        stored::Samples& columns = *file.mutable_samples();
        columns.add_time_ns(static_cast<int64_t>(sample.time_ns - last.time_ns));
        columns.add_rss(static_cast<int64_t>(sample.rss - last.rss));
        columns.add_pss(sample.pss);
        columns.add_own(sample.own);
        last = sample;
    }
    const MergedParts& merged = recording.merged;
    if (merged.processes.empty()) return;
    for (const ProcessPart& part : merged.processes) copy_part(ToFile{}, part, *file.add_parts());
    copy_left_out(ToFile{}, merged.left_out, *file.mutable_left_out());
}

void read_head(Recording& recording, const stored::Profile& file) {
    Model& model = recording.model;
    recording.path = file.path();
    copy_model(FromFile{}, model, file);
    const stored::Capture& capture = file.capture();
    read_counts(model.capture.cuts, capture.cuts());
    read_counts(model.capture.python_gaps, capture.python_gaps());
    read_record(model.capture.walks, capture.walks());
    read_record(model.capture.python_walks, capture.python_walks());
    if (capture.tables_size() != 0) read_record(model.capture.tables.emplace(), capture.tables());
    for (const stored::Pair& option : file.options()) model.options[option.key()] = option.value();
    const stored::Samples& columns = file.samples();
    const int count = columns.time_ns_size();
    const bool has_own = columns.own_size() != 0;  // Older profiles do not.
    require_sound(columns.rss_size() == count && columns.pss_size() == count &&
                      (!has_own || columns.own_size() == count),
                  "the samples");
    RssSample sample;
    for (int i = 0; i < count; ++i) {
        sample.time_ns += static_cast<uint64_t>(columns.time_ns(i));
        sample.rss += static_cast<uint64_t>(columns.rss(i));
        sample.pss = columns.pss(i);
        sample.own = has_own ? columns.own(i) : 0;
        model.samples.push_back(sample);
    }
    for (const stored::Part& part : file.parts()) {
        copy_part(FromFile{}, recording.merged.processes.emplace_back(), part);
    }
    copy_left_out(FromFile{}, recording.merged.left_out, file.left_out());
}

std::string content_of(const ProcessPart& part) {
    stored::Part file;
    copy_part(ToFile{}, part, file);
    return file.SerializeAsString();
}

}  // namespace memtrace::analyzer
