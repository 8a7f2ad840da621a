// SPDX-License-Identifier: Apache-2.0
//
// The file of pprof (pprof.proto). Each call stack of a space is a sample with the label "space".
//
// Protocol buffers that follow one another are one message with the elements of all. So a file is
// written in parts, and a large recording does not have to fit into memory twice.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/base/paths.h"
#include "analyzer/export/export_format.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/export_stacks.h"
#include "analyzer/export/gzip_stream.h"
#include "analyzer/export/pprof.pb.h"
#include "analyzer/model/selection.h"

namespace memtrace::analyzer {

namespace {

namespace proto = perftools::profiles;

constexpr int samples_of_a_part = 4096;
constexpr std::array bytes_measures{ExportMeasure::peak, ExportMeasure::held,
                                    ExportMeasure::allocated};

// The values of a sample. The names are those of pprof's own heap profiles, where they have one.
struct SampleType {
    const char* name;
    const char* unit;
    ExportMeasure measure;
    uint64_t Totals::*figure;
    uint64_t Totals::*figure_of_work;  // if what is held is what was held when the work ended
};
constexpr std::array sample_types{
    SampleType{"alloc_objects", "count", ExportMeasure::calls, &Totals::allocations,
               &Totals::allocations},
    SampleType{"alloc_space", "bytes", ExportMeasure::allocated, &Totals::allocated_bytes,
               &Totals::allocated_bytes},
    SampleType{"inuse_objects", "count", ExportMeasure::held, &Totals::live_blocks,
               &Totals::held_blocks},
    SampleType{"inuse_space", "bytes", ExportMeasure::held, &Totals::live_bytes,
               &Totals::held_bytes},
    SampleType{"peak_objects", "count", ExportMeasure::peak, &Totals::at_peak_blocks,
               &Totals::at_peak_blocks},
    SampleType{"peak_space", "bytes", ExportMeasure::peak, &Totals::at_peak_bytes,
               &Totals::at_peak_bytes},
};

struct Module {
    uint64_t id = 0;
    uint64_t begin = 0, end = 0;
    std::string build_id;
};

class Writer {
public:
    Writer(const Recording& recording, const ExportOptions& options, GzipStream& out)
        : recording_(recording), options_(options), out_(out) {
        text("");
    }

    void run() {
        const std::vector<const Space*> spaces = exported_spaces(recording_, options_.text);
        write_head();
        write_comments(spaces);
        find_modules();
        mapping_of(recording_.model.process.executable);
        for (const Space* space : spaces) write_space(*space);
        flush();
    }

private:
    void write_head() {
        const Model& model = recording_.model;
        for (const SampleType& type : sample_types) {
            set_type(*part_.add_sample_type(), type.name, type.unit);
            const bool is_chosen =
                type.measure == options_.measure && (type.unit == std::string_view("bytes") ||
                                                     options_.measure == ExportMeasure::calls);
            if (is_chosen) part_.set_default_sample_type(text(type.name));
        }
        set_type(*part_.mutable_period_type(), "space", "bytes");
        part_.set_period(1);  // Nothing is sampled.
        uint64_t begin_ns = 0, duration_ns = model.process.duration_ns;
        if (model.phase) {
            const bool is_range = model.phase->asked.empty() && model.phase->range;
            begin_ns = is_range ? model.phase->range->begin_ns : model.phase->first_begin_ns;
            duration_ns = model.phase->duration_ns;
        }
        part_.set_time_nanos(static_cast<int64_t>(model.process.start_realtime_ns + begin_ns));
        part_.set_duration_nanos(static_cast<int64_t>(duration_ns));
    }

    void write_comments(const std::vector<const Space*>& spaces) {
        const auto say = [&](const std::string& comment) {
            part_.add_comment(text(exported_text(comment)));
        };
        std::string command;
        for (const std::string& word : recording_.model.process.command) {
            command += (command.empty() ? "" : " ") + word;
        }
        say("memtrace " MEMTRACE_VERSION ": " + command);
        const std::string selection = selection_text(recording_.model);
        if (!selection.empty()) say("only " + selection);
        if (spaces.size() > 1) {
            say("The label \"space\" divides the samples. One space may lie inside another, as "
                "python in mmap, so look at one at a time: -tagfocus=space=host");
        }
        for (const Space* space : spaces) {
            if (space->is_estimate) say("The space " + space->name + " is estimated by a sample.");
        }
    }

    void write_space(const Space& space) {
        const ExportStacks stacks(recording_, space, options_.text, bytes_measures);
        const bool of_work = changed_after_work(recording_.model, space);
        const int64_t key = text("space"), name = text(exported_text(space.name));
        stacks.each_stack([&](std::span<const FrameId> frames, const Totals& totals) {
            proto::Sample& sample = *part_.add_sample();
            for (size_t i = frames.size(); i-- > 0;) sample.add_location_id(location_of(frames[i]));
            for (const SampleType& type : sample_types) {
                const uint64_t value = totals.*(of_work ? type.figure_of_work : type.figure);
                sample.add_value(static_cast<int64_t>(value));
            }
            proto::Label& label = *sample.add_label();
            label.set_key(key);
            label.set_str(name);
            if (part_.sample_size() >= samples_of_a_part) flush();
        });
    }

    void flush() {
        part_.SerializeToString(&bytes_);
        out_.write(bytes_);
        part_.Clear();
    }

    // ---- tables. What is new is part of the next part of the file.

    int64_t text(const std::string& text) {
        const auto [entry, is_new] = texts_.try_emplace(text, static_cast<int64_t>(texts_.size()));
        if (is_new) part_.add_string_table(text);
        return entry->second;
    }

    void set_type(proto::ValueType& type, const char* name, const char* unit) {
        type.set_type(text(name));
        type.set_unit(text(unit));
    }

    uint64_t location_of(FrameId frame) {
        const auto [entry, is_new] = locations_.try_emplace(frame, locations_.size() + 1);
        if (!is_new) return entry->second;
        const ExportName name = export_name(recording_.symbols, frame);
        proto::Location& location = *part_.add_location();
        location.set_id(entry->second);
        location.set_mapping_id(mapping_of(name.module));
        proto::Line& line = *location.add_line();
        line.set_function_id(function_of(name));
        line.set_line(name.line);
        return entry->second;
    }

    // pprof takes a name that is the same twice for one that it should shorten, and of "<module>"
    // it leaves nothing.
    uint64_t function_of(const ExportName& name) {
        const std::string full = name.full_name == name.name ? "" : name.full_name;
        const std::tuple key(text(unique_name(name)), text(full), text(name.file));
        const auto [entry, is_new] = functions_.try_emplace(key, functions_.size() + 1);
        if (!is_new) return entry->second;
        proto::Function& function = *part_.add_function();
        function.set_id(entry->second);
        function.set_name(std::get<0>(key));
        function.set_system_name(std::get<1>(key));
        function.set_filename(std::get<2>(key));
        return entry->second;
    }

    // A file that was replaced while the program ran has several builds. Then none is said.
    void find_modules() {
        for (const auto& [id, info] : recording_.model.stacks.modules) {
            const auto [entry, is_new] = modules_.try_emplace(info.path);
            Module& module = entry->second;
            if (is_new) module = {0, info.begin, info.end, info.build_id};
            else if (module.build_id != info.build_id) module.build_id.clear();
        }
    }

    uint64_t mapping_of(const std::string& path) {
        if (path.empty()) return 0;
        Module& module = modules_[path];
        if (module.id != 0) return module.id;
        module.id = ++mappings_;
        proto::Mapping& mapping = *part_.add_mapping();
        mapping.set_id(module.id);
        mapping.set_memory_start(module.begin);
        mapping.set_memory_limit(module.end);
        mapping.set_filename(text(exported_text(path)));
        mapping.set_build_id(text(hex(module.build_id)));
        mapping.set_has_functions(true);
        mapping.set_has_filenames(true);
        mapping.set_has_line_numbers(true);
        mapping.set_has_inline_frames(true);
        return module.id;
    }

    const Recording& recording_;
    const ExportOptions& options_;
    GzipStream& out_;
    proto::Profile part_;  // what is not written yet
    std::string bytes_;
    std::unordered_map<std::string, int64_t> texts_;
    std::unordered_map<FrameId, uint64_t> locations_;
    std::map<std::tuple<int64_t, int64_t, int64_t>, uint64_t> functions_;
    std::map<std::string, Module> modules_;  // by path
    uint64_t mappings_ = 0;
};

}  // namespace

void write_pprof(const Recording& recording, const ExportOptions& options,
                 const ExportWrite& write) {
    GzipStream out(write);
    Writer(recording, options, out).run();
    out.finish();
}

}  // namespace memtrace::analyzer
