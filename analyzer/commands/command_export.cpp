// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/export/export_format.h"

namespace memtrace::analyzer {

namespace {

// Returns "pprof, speedscope or collapsed".
std::string names_of(const auto& rows) {
    std::string names;
    for (size_t i = 0; i < rows.size(); ++i) {
        names += i == 0 ? "" : i + 1 == rows.size() ? " or " : ", ";
        names += rows[i].name;
    }
    return names;
}

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    options.add_value("--format", request.typed.format, "FORMAT",
                      names_of(export_formats) + " (that of the suffix of -o)");
    options.add_value("-o,--output", request.check.output, "FILE",
                      "Write to FILE, or - for standard output (the dump's name, with the format's "
                      "suffix)");
    options.add_value("--measure", request.typed.measure, "BY",
                      names_of(export_measures) +
                          ": the values of a file that has one measure, and what other files show "
                          "first (peak)");
    add_min_option(options, request, "Put calls below this together, each below its caller");
    add_all_frames_option(options, request);
    add_space_option(options, request);
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
}

const ExportFormat* read_format(const Request& request) {
    const std::string& typed = request.typed.format;
    const ExportFormat* format =
        typed.empty() ? export_format_of_file(request.check.output) : find_export_format(typed);
    if (format != nullptr) return format;
    if (typed.empty()) {
        throw Error(
            fmt::format("export: --format is missing; choose {}", names_of(export_formats)));
    }
    throw Error(fmt::format("--format {}: there is no such format; choose {}", printable(typed),
                            names_of(export_formats)));
}

void finish(Request& request) {
    if (!request.json.empty()) {
        throw Error(fmt::format(
            "--json {}: export writes a file of another tool; the numbers are in the JSON of sites",
            printable(request.json)));
    }
    if (!request.check.output.empty() && request.dumps.size() > 1) {
        throw Error(
            fmt::format("-o {}: each of {} has a file of its own; leave -o out, or let "
                        "merge make one profile of them",
                        printable(request.check.output), counted(request.dumps.size(), "dump")));
    }
    request.format = read_format(request);
    const ExportMeasureRow* measure = find_export_measure(request.typed.measure);
    if (measure == nullptr) {
        throw Error(fmt::format("--measure {}: choose {}", printable(request.typed.measure),
                                names_of(export_measures)));
    }
    request.measure = measure->measure;
    read_text_options(request);
}

void write_export(const Recording& recording, const Request& request, const Write& write) {
    request.format->write(recording, {request.measure, request.text}, write);
}

DumpReport report(const Recording& recording, const Request& request) {
    const std::string path = output_beside(recording, request, request.format->suffix);
    if (path == "-") {
        return {.write_text = [&](const Write& write) { write_export(recording, request, write); }};
    }
    std::error_code error;
    if (std::filesystem::equivalent(path, recording.path, error)) {
        throw Error(fmt::format("-o {}: that is the recording itself; choose another name",
                                printable(path)));
    }
    uint64_t bytes = 0;
    ReportOutput output(path);
    write_export(recording, request, [&](std::string_view piece) {
        output.write(piece);
        bytes += piece.size();
    });
    output.finish();
    log_note(fmt::format("wrote {} ({}); {} opens it", printable(path), human_bytes(bytes),
                         fmt::format(fmt::runtime(request.format->reader), printable(path))));
    return {};
}

}  // namespace

const Command command_export{
    .name = "export",
    .help = "A file for another tool: pprof, speedscope, flame graphs",
    .add_options = add_options,
    .finish = finish,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
