// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/signal_cleanup.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/cli/found_dumps.h"
#include "analyzer/cli/load_profile.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/commands/common_options.h"
#include "analyzer/compact/compacted_part.h"
#include "analyzer/compact/read_compacted.h"
#include "analyzer/filter/site_filter.h"
#include "analyzer/live/shown_path.h"
#include "analyzer/phases/range_text.h"
#include "analyzer/profile/profile_file.h"
#include "analyzer/reader/past.h"
#include "analyzer/replay/load.h"
#include "analyzer/report/report_json.h"
#include "analyzer/steps/load_steps.h"
#include "analyzer/symbolise/symbolise.h"

namespace memtrace::analyzer {

namespace {

// The JSON of one dump is one document. The JSON of several dumps is an array of documents.
class JsonFile {
public:
    explicit JsonFile(const Request& request)
        : request_(request), several_(request.dumps.size() > 1) {
        if (request.json.empty() || request.command->writes_json) return;
        output_ = std::make_unique<ReportOutput>(request.json, Readers::owner);
    }

    void add(const Recording& recording, const DumpReport& report) {
        if (output_ == nullptr) return;
        JsonOptions options;
        options.frames_max = request_.frames_max();
        options.interpreter_frames = request_.text.interpreter_frames;
        if (report.json) options.more = report.json();
        if (several_) output_->write(is_first_ ? "[\n" : ",\n");
        is_first_ = false;
        write_json(
            recording, request_.command->sites,
            [&](std::string_view text) { output_->write(text); }, options);
        // The reader of the text may close the pipe early, and the process then ends by SIGPIPE.
        if (!several_) finish();
    }

    void finish() {
        if (output_ == nullptr) return;
        if (several_) output_->write(is_first_ ? "[]\n" : "]\n");
        output_->finish();
        output_ = nullptr;
    }

private:
    const Request& request_;
    std::unique_ptr<ReportOutput> output_;
    bool several_;
    bool is_first_ = true;
};

class Stopwatch {
public:
    uint64_t lap_ns() {
        const auto now = std::chrono::steady_clock::now();
        return static_cast<uint64_t>((now - std::exchange(start_, now)).count());
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Returns the passing sites by their number in the replay.
PassingSites by_number(const Model& model, const PassingSites& passing) {
    PassingSites result;
    for (const Space& space : model.spaces) {
        std::vector<bool>& sites = result[space.name];
        const std::vector<bool>& passes = passing.at(space.name);
        for (size_t i = 0; i < space.numbers.size(); ++i) {
            if (!passes[i]) continue;
            if (space.numbers[i] >= sites.size()) sites.resize(size_t{space.numbers[i]} + 1);
            sites[space.numbers[i]] = true;
        }
    }
    return result;
}

Model load_compacted(const std::string& path, const LoadOptions& options,
                     const Progress& progress) {
    return asks_for_part(options) ? read_compacted_part(path, options, progress)
                                  : read_compacted(path, progress);
}

Model load_again(const Recording& recording, const LoadOptions& options) {
    return recording.is_compacted ? load_compacted(recording.path, options, {})
                                  : load_dump(recording.path, {}, options);
}

// Applies the filters. Figures of phases are not figures of sites, so they are counted again, with
// the sites that pass.
void filter(Recording& recording, const Request& request, const LoadOptions& loaded) {
    if (request.filters.empty()) return;
    const PassingSites passing = find_passing(recording, request.filters);
    if (loaded.watch.curves && recording.model.watch) {
        // Curves are not sums of curves of sites, so they are drawn again.
        if (recording.path == "-") {
            throw Error(
                "timeline with filters reads the dump twice, and standard input can be read only "
                "once; write it to a file first");
        }
        LoadOptions options = loaded;
        options.watch.sites = by_number(recording.model, passing);
        recording.model.watch = load_again(recording, options).watch;
    }
    if (recording.model.phases) {
        if (recording.path == "-") {
            throw Error(
                "phases with filters reads the dump twice, and standard input can be read only "
                "once; write it to a file first");
        }
        LoadOptions options = loaded;
        options.phases.sites = passing;
        recording.model.phases = load_again(recording, options).phases;
    }
    apply(recording, request.filters, passing);
}

// Frames that reports for people leave out need source lines only if something shows or matches
// them, and their debug information is large.
SymbolOptions symbol_options(const Request& request) {
    SymbolOptions options = request.symbols;
    options.folded_lines = request.command->reads_folded_frames ||
                           request.text.interpreter_frames || request.text.all_frames ||
                           !request.json.empty() || !request.filters.empty();
    return options;
}

bool counts_steps(const PhaseRequest& request) {
    const auto is_step = [](const char* option, const std::string& typed) {
        return !typed.empty() &&
               std::holds_alternative<RangeAtStep>(parse_range_text(option, typed));
    };
    return request.step.empty() && (is_step("--from", request.from) || is_step("--to", request.to));
}

// Finds the loops of the dump if the run is cut into slices or a range counts steps. The steps of
// one of them count if the program marks none.
SourceLoops find_loops_of(const std::string& path, const Request& request, LoadOptions& options,
                          ProgressBar& bar) {
    *request.loops = nullptr;  // those of another dump, as are the next
    *request.nodes = {};
    const bool looks_first = options.slices || counts_steps(options.phases);
    if (looks_first || request.command->reads_again) options.nodes = request.nodes;
    if (!looks_first) return {};
    SourceLoops none;
    if (path == "-" || !std::filesystem::is_regular_file(path)) {
        none.why_none = "loops are found in a pass of their own, and this input is read once";
        options.why_no_loop = none.why_none;
        return none;
    }
    const std::string step = options.slices ? options.slices->step : "";
    const auto steps =
        std::make_shared<StepsOfDump>(load_steps(path, step, request.check.code, request.symbols,
                                                 bar.step("finding loops"), options.nodes.get()));
    const SourceLoops& found = steps->loops.found;
    options.why_no_loop = found.why_none;
    if (step.empty()) use_loop(*steps, options, request.command->keeps_loops);
    if (request.command->keeps_loops) *request.loops = steps;
    return options.slices ? found : none;
}

Recording load_once(const std::string& path, const Request& request) {
    ProgressBar bar;
    Stopwatch watch;
    Recording recording;
    if (is_profile(path)) {
        recording = load_profile(path, request);
        recording.code = request.check.code;
        log_detail(fmt::format("{} read in {}", path, human_time(watch.lap_ns())));
        return recording;
    }
    recording.path = request.shown_as.empty() ? path : request.shown_as;
    recording.code = request.check.code;
    LoadOptions options = request.command->load_options(request);
    if (is_compacted(path)) {
        recording.is_compacted = true;
        recording.model = load_compacted(path, options, bar.step("reading"));
        recording.symbols =
            symbolise(recording.model, symbol_options(request), bar.step("naming functions"));
        note_other_images(recording.model, path);
        if (!options.slices) recording.model.loops = {};
        limit_to_profile(path, recording, request, options);
        if (asks_for_part(options)) filter(recording, request, options);
        return recording;
    }
    SourceLoops loops = find_loops_of(path, request, options, bar);
    recording.model = load_dump(path, bar.step("reading"), options);
    recording.model.loops = std::move(loops);
    note_other_images(recording.model, path);
    log_detail(fmt::format("{} read in {}", path, human_time(watch.lap_ns())));
    recording.symbols =
        symbolise(recording.model, symbol_options(request), bar.step("naming functions"));
    filter(recording, request, options);
    if (!request.command->reads_again) *request.nodes = {};
    log_detail(fmt::format("{} named in {}", counted(recording.symbols.frames.size(), "frame"),
                           human_time(watch.lap_ns())));
    return recording;
}

// The dump of a running program may be compacted for the first time while it is read as a whole.
// read_compacted() knows of later ones.
Recording load_recording(const std::string& path, const Request& request) {
    const bool was_whole = newest_past(path) == 0;
    try {
        Recording recording = load_once(path, request);
        if (!was_whole || newest_past(path) == 0) return recording;
    } catch (const Error&) {
        if (!was_whole || newest_past(path) == 0) throw;
    }
    return load_once(path, request);
}

// A space of another name than any is a slip, and a report of nothing would look like good news. Of
// several recordings, one may have it alone.
class AskedSpace {
public:
    explicit AskedSpace(const Request& request) : request_(request) {}

    void look_at(const Recording& recording) {
        const std::string& asked = request_.text.space;
        const Model& model = recording.model;
        if (asked.empty() || model.spaces.empty() || has_space(model, asked) ||
            asked == request_.command->further_space) {
            is_found_ = true;
        } else if (request_.dumps.size() == 1) {
            throw Error(fmt::format("--space {}: {} has no such space; it has: {}",
                                    printable(asked), printable(recording.path),
                                    names_of_spaces(model)));
        }
    }
    void check() const {
        if (is_found_ || request_.text.space.empty()) return;
        throw Error(fmt::format("--space {}: none of the {} has such a space",
                                printable(request_.text.space),
                                counted(request_.dumps.size(), "recording")));
    }

private:
    const Request& request_;
    bool is_found_ = false;
};

// `text` is null if a document goes to standard output.
int report_dump(const std::string& path, const Request& request, CommandRun& run, JsonFile& json,
                ReportOutput* text, AskedSpace& space) {
    const Recording recording = load_recording(path, request);
    space.look_at(recording);
    const DumpReport report =
        run.add(recording, [&](const Request& other) { return load_recording(path, other); });
    // The JSON is written first, because the reader of the text may close the pipe early.
    json.add(recording, report);
    if (text != nullptr && report.write_text) {
        const bool several = request.dumps.size() > 1;
        if (several) text->write("==> " + printable(path) + "\n");
        LineGuard guard;
        report.write_text([&](std::string_view piece) {
            text->write(report.is_file ? std::string(piece) : guard.pass(piece));
        });
        if (several) text->write("\n");
    }
    return is_incomplete(recording.model) ? exit_incomplete : report.exit_code;
}

// If `run` records a dump as unread, the other dumps are still reported.
int report_or_note(const std::string& path, const Request& request, CommandRun& run, JsonFile& json,
                   ReportOutput* text, AskedSpace& space) {
    std::string why;
    try {
        return report_dump(path, request, run, json, text, space);
    } catch (const Error& error) {
        why = shown_path(error.what(), path, request.shown_as);
        if (!run.add_unread(path, why)) throw Error(why);
    } catch (const std::bad_alloc&) {
        why = printable(path) + ": there is not enough memory for this dump";
        if (!run.add_unread(path, why)) throw;
    }
    log_error(why);
    return exit_cannot;
}

// If one of several dumps cannot be read, the others are still reported.
int for_each_dump(const Request& request, const std::function<int(const std::string&)>& each) {
    int worst = exit_fine;
    for (const std::string& dump : request.dumps) {
        try {
            worst = std::max(worst, each(dump));
        } catch (const Error& error) {
            if (request.dumps.size() == 1) throw;
            log_error(error.what());
            worst = std::max<int>(worst, exit_cannot);
        }
    }
    return worst;
}

int print(std::string_view text) {
    ReportOutput output("-");
    output.write(text);
    output.finish();
    return exit_fine;
}

}  // namespace

int run(Request request) {
    if (request.command->print != nullptr) return print(request.command->print());
    if (request.dumps.empty()) {
        const std::optional<std::string> newest = newest_dump(".");
        if (!newest) {
            throw Error(
                "no dump is named, and there is no memtrace.*.bin in this folder; "
                "memtrace-report --help says more");
        }
        log_note(fmt::format("reading {}, the newest here", printable(*newest)));
        request.dumps.push_back(*newest);
    }
    std::unique_ptr<ReportOutput> text;
    if (request.documents_on_stdout().empty()) text = std::make_unique<ReportOutput>("-");
    JsonFile json(request);
    const std::unique_ptr<CommandRun> run = start_command(request);
    AskedSpace space(request);
    const int worst = for_each_dump(request, [&](const std::string& dump) {
        return report_or_note(dump, request, *run, json, text.get(), space);
    });
    if (worst != exit_cannot) space.check();
    // The end of the text goes to the same output as the text, or to standard error if a document
    // has standard output.
    const std::string end = run->finish(worst);
    if (text != nullptr) {
        text->write(end);
        text->finish();
    } else {
        std::fputs(end.c_str(), stderr);
    }
    json.finish();
    return worst;
}

int run_and_say(Request request) {
    const SignalCleanup cleanup;
    try {
        return run(std::move(request));
    } catch (const Error& error) {
        log_error(error.what());
    } catch (const std::bad_alloc&) {
        log_error("there is not enough memory for this dump");
    } catch (const std::exception& error) {
        log_error(std::string("cannot go on: ") + error.what());
    }
    return exit_cannot;
}

}  // namespace memtrace::analyzer
