// SPDX-License-Identifier: Apache-2.0
//
// The file of https://www.speedscope.app: for each space one "sampled" profile for each measure,
// and a list of frames that they share. The list comes last, because only then is it complete.
#include <optional>
#include <string>
#include <unordered_map>

#include "analyzer/base/json_text.h"
#include "analyzer/base/paths.h"
#include "analyzer/export/export_format.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/export_stacks.h"

namespace memtrace::analyzer {

namespace {

constexpr const char* schema = "https://www.speedscope.app/file-format-schema.json";
constexpr std::array bytes_measures{ExportMeasure::peak, ExportMeasure::held,
                                    ExportMeasure::allocated};

class Writer {
public:
    Writer(const Recording& recording, const ExportOptions& options, const ExportWrite& write)
        : recording_(recording), options_(options), write_(write) {}

    void run() {
        const std::string name = exported_text(base_name(recording_.path));
        write_("{\"$schema\": " + json_text(schema) +
               ",\n\"exporter\": " + json_text("memtrace " MEMTRACE_VERSION) +
               ",\n\"name\": " + json_text(name) + ",\n\"profiles\": [");
        for (const Space* space : exported_spaces(recording_, options_.text)) write_space(*space);
        // A file without any profile is refused by its reader.
        if (profiles_ == 0) write_profile("nothing was allocated", "bytes", 0, "", "");
        write_("],\n\"activeProfileIndex\": " + std::to_string(active_.value_or(0)) +
               ",\n\"shared\": {\"frames\": [");
        write_(frames_);
        write_("]}}\n");
    }

private:
    void write_space(const Space& space) {
        const ExportStacks stacks(recording_, space, options_.text, bytes_measures);
        for (const ExportMeasureRow& row : export_measures) {
            const Measure measure = measure_of(row.measure, recording_.model, space);
            if (value_of(space.totals, measure) == 0) continue;
            if (row.measure == options_.measure && !active_) active_ = profiles_;
            write_measure(space, row, measure, stacks);
        }
    }

    void write_measure(const Space& space, const ExportMeasureRow& row, Measure measure,
                       const ExportStacks& stacks) {
        std::string samples, weights;
        uint64_t sum = 0;
        stacks.each_stack([&](std::span<const FrameId> frames, const Totals& totals) {
            const uint64_t value = value_of(totals, measure);
            if (value == 0) return;
            sum += value;
            samples += samples.empty() ? "\n[" : ",\n[";
            const char* comma = "";
            for (const FrameId frame : frames) {
                samples += comma + std::to_string(number_of(frame));
                comma = ",";
            }
            samples += "]";
            weights += (weights.empty() ? "" : ",") + std::to_string(value);
        });
        const std::string estimate = space.is_estimate ? " (estimated)" : "";
        write_profile(exported_text(space.name) + ", " + std::string(row.title) + estimate,
                      row.is_bytes ? "bytes" : "none", sum, samples, weights);
    }

    void write_profile(const std::string& name, const char* unit, uint64_t sum,
                       const std::string& samples, const std::string& weights) {
        write_(std::string(profiles_ == 0 ? "\n" : ",\n") + "{\"type\": \"sampled\", \"name\": " +
               json_text(name) + ", \"unit\": " + json_text(unit) +
               ", \"startValue\": 0, \"endValue\": " + std::to_string(sum) + ",\n\"samples\": [");
        write_(samples);
        write_("],\n\"weights\": [");
        write_(weights);
        write_("]}");
        profiles_ += 1;
    }

    size_t number_of(FrameId frame) {
        const auto [entry, is_new] = numbers_.try_emplace(frame, numbers_.size());
        if (!is_new) return entry->second;
        const ExportName name = export_name(recording_.symbols, frame);
        Json json{{"name", unique_name(name)}};
        if (!name.file.empty()) json["file"] = name.file;
        if (name.line != 0) json["line"] = name.line;
        frames_ += (frames_.empty() ? "\n" : ",\n") + json_text(json);
        return entry->second;
    }

    const Recording& recording_;
    const ExportOptions& options_;
    const ExportWrite& write_;
    std::unordered_map<FrameId, size_t> numbers_;
    std::string frames_;  // those with a number, in JSON
    size_t profiles_ = 0;
    std::optional<size_t> active_;  // the first profile of the chosen measure
};

}  // namespace

void write_speedscope(const Recording& recording, const ExportOptions& options,
                      const ExportWrite& write) {
    Writer(recording, options, write).run();
}

}  // namespace memtrace::analyzer
