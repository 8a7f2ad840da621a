// SPDX-License-Identifier: Apache-2.0
//
// The files that other tools read. Each format is a row of formats.def and a function that writes
// the recording in it, piece by piece.
//
// All formats have the same call stacks (export_stacks.h) under the same names (export_names.h).
// The values of a space add up to its totals.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "analyzer/export/export_measure.h"
#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

using ExportWrite = std::function<void(std::string_view)>;

struct ExportOptions {
    // The measure that a file with one measure has, and that a file with several shows first.
    ExportMeasure measure = ExportMeasure::peak;
    // Of these, only space, all_frames, interpreter_frames and the least value count.
    const TextOptions& text;
};

#define MEMTRACE_EXPORT_FORMAT(name, suffix, reader)                            \
    void write_##name(const Recording& recording, const ExportOptions& options, \
                      const ExportWrite& write);
#include "analyzer/export/formats.def"

struct ExportFormat {
    std::string_view name;
    std::string_view suffix;  // ".pb.gz"
    std::string_view reader;  // a command; {} is the file
    void (*write)(const Recording&, const ExportOptions&, const ExportWrite&);
};

inline constexpr auto export_formats = std::to_array<ExportFormat>({
#define MEMTRACE_EXPORT_FORMAT(name, suffix, reader) {#name, suffix, reader, write_##name},
#include "analyzer/export/formats.def"
});

// Both return nullptr if there is none.
constexpr const ExportFormat* find_export_format(std::string_view name) {
    for (const ExportFormat& format : export_formats) {
        if (format.name == name) return &format;
    }
    return nullptr;
}
constexpr const ExportFormat* export_format_of_file(std::string_view path) {
    for (const ExportFormat& format : export_formats) {
        if (path.ends_with(format.suffix)) return &format;
    }
    return nullptr;
}

}  // namespace memtrace::analyzer
