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

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/base/units.h"
#include "analyzer/ci/check_json.h"
#include "analyzer/ci/report_check.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/cli/report_output.h"
#include "analyzer/replay/load.h"
#include "analyzer/report/report_dump_text.h"
#include "analyzer/report/report_gpu.h"
#include "analyzer/report/report_growth.h"
#include "analyzer/report/report_info.h"
#include "analyzer/report/report_json.h"
#include "analyzer/report/report_leaks.h"
#include "analyzer/report/report_lines.h"
#include "analyzer/report/report_oom.h"
#include "analyzer/report/report_phases.h"
#include "analyzer/report/report_sites.h"
#include "analyzer/report/report_summary.h"
#include "analyzer/report/report_tree.h"
#include "analyzer/symbolise/symbolise.h"

namespace memtrace::analyzer {

namespace {

SiteFilter filter_of(Command command) {
    switch (command) {
        case Command::leaks: return SiteFilter::leaked;
        case Command::peak: return SiteFilter::at_peak;
        case Command::growth:
        case Command::lines:
        case Command::tree:
        case Command::phases:
        case Command::gpu:
        case Command::oom:
        case Command::info:
        case Command::text: return SiteFilter::none;
        default: return SiteFilter::all;
    }
}

// JSON of one dump is one document; of several, an array of documents.
class JsonFile {
public:
    explicit JsonFile(const Request& request)
        : several_(request.dumps.size() > 1),
          frames_max_(request.whole_stacks ? UINT64_MAX : listed_frames_max) {
        if (!request.json.empty()) output_ = std::make_unique<ReportOutput>(request.json);
    }

    void add(const Recording& recording, const Request& request, const CheckResult* check,
             const SourceFile& source, const Growth& growth) {
        if (output_ == nullptr) return;
        JsonOptions options;
        options.frames_max = frames_max_;
        options.interpreter_frames = request.text.interpreter_frames;
        if (check != nullptr) options.more = check_json(*check);
        if (request.command == Command::lines) options.more = lines_json(recording, source);
        if (request.command == Command::growth) options.more = growth_json(recording, growth);
        if (request.command == Command::gpu) options.more = gpu_ledger_json(recording);
        if (request.command == Command::oom) options.more = oom_json(recording);
        if (request.command == Command::phases) options.more = phases_json(recording);
        if (request.command == Command::tree) {
            options.more =
                "\"tree\": " + tree_json(recording, request.sort, request.text, frames_max_);
        }
        if (several_) output_->write(is_first_ ? "[\n" : ",\n");
        is_first_ = false;
        write_json(
            recording, filter_of(request.command),
            [&](std::string_view text) { output_->write(text); }, options);
    }

    void finish() {
        if (output_ == nullptr) return;
        if (several_) output_->write(is_first_ ? "[]\n" : "]\n");
        output_->finish();
    }

private:
    std::unique_ptr<ReportOutput> output_;
    bool several_;
    uint64_t frames_max_;
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

Recording make_report(const std::string& path, const Request& request, const std::string& phase) {
    ProgressBar bar;
    Stopwatch watch;
    Recording recording;
    recording.path = path;
    recording.code = request.check.code;
    LoadOptions options;
    options.phases = {request.command == Command::phases, phase, request.each_phase};
    // Of whole recordings only; a check loads each of its phases besides.
    const bool by_growth =
        phase.empty() && (request.command == Command::growth ||
                          (request.command == Command::check && asks_for_growth(request.check)));
    if (by_growth) options.slices = request.slices;
    recording.model = load_dump(path, bar.step("reading"), options);
    log_detail(fmt::format("{} read in {}", path, human_time(watch.lap_ns())));
    recording.symbols = symbolise(recording.model, request.symbols, bar.step("naming functions"));
    log_detail(fmt::format("{} named in {}", counted(recording.symbols.frames.size(), "frame"),
                           human_time(watch.lap_ns())));
    return recording;
}

std::string text_of(const Recording& recording, const Request& request, const CheckResult* check,
                    const SourceFile& source, const Growth& growth) {
    std::string out;
    switch (request.command) {
        case Command::summary: write_summary(out, recording, request.text); break;
        case Command::leaks: write_leaks(out, recording, request.text); break;
        case Command::growth: write_growth(out, recording, growth, request.text); break;
        case Command::peak: write_peak(out, recording, request.text); break;
        case Command::sites: write_sites(out, recording, request.sort, request.text); break;
        case Command::lines: write_lines(out, recording, source, request.text); break;
        case Command::tree: write_tree(out, recording, request.sort, request.text); break;
        case Command::phases: write_phases(out, recording, request.text); break;
        case Command::gpu: write_gpu(out, recording, request.text); break;
        case Command::oom: write_oom(out, recording, request.all_refusals, request.text); break;
        case Command::info: write_info(out, recording, request.text); break;
        case Command::check: write_check(out, recording, *check, request.text); break;
        default: break;
    }
    return out;
}

int exit_code(const Recording& recording, const CheckResult* check) {
    if (is_incomplete(recording.model)) return exit_incomplete;
    if (check == nullptr) return exit_fine;
    if (!check->obstacles.empty()) return exit_incomplete;
    return has_passed(*check) ? exit_fine : exit_check_failed;
}

int report_one(const std::string& path, const Request& request, JsonFile& json, ReportOutput* text,
               Checks* checks) {
    const Recording recording = make_report(path, request, request.phase);
    std::optional<CheckResult> found;
    if (checks != nullptr) {
        found = checks->check(
            recording, [&](const std::string& phase) { return make_report(path, request, phase); });
    }
    const CheckResult* const check = found ? &*found : nullptr;
    SourceFile source;
    if (request.command == Command::lines) {
        source = find_source_file(recording, request.source, request.symbols.sysroot);
    }
    Growth growth;
    if (request.command == Command::growth) growth = find_growth(recording, request.growth);
    // The file first: whoever reads the text may close the pipe early.
    json.add(recording, request, check, source, growth);
    if (text != nullptr) {
        if (request.dumps.size() > 1) text->write("==> " + printable(path) + "\n");
        if (request.command == Command::text) {
            write_dump_text(path, [&](std::string_view piece) { text->write(piece); });
        } else {
            text->write(text_of(recording, request, check, source, growth));
        }
        if (request.dumps.size() > 1) text->write("\n");
    }
    return exit_code(recording, check);
}

// What a command does with each dump. Several dumps are read even if one of them cannot be.
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

int write_baseline(const Request& request) {
    BaselineMaker maker(request.check);
    const int worst = for_each_dump(request, [&](const std::string& path) -> int {
        if (maker.add(make_report(path, request, ""))) return exit_fine;
        log_error(
            fmt::format("{}: the dump is damaged or incomplete; a baseline is made of whole "
                        "ones only",
                        printable(path)));
        return exit_incomplete;
    });
    if (worst != exit_fine) return worst;
    ReportOutput text("-");
    text.write(maker.finish());
    text.finish();
    return exit_fine;
}

int print_suppressions() {
    ReportOutput text("-");
    text.write(default_suppressions_text());
    text.finish();
    return exit_fine;
}

// A dump that `check` cannot read or judge is in its outputs, too, and the others are judged.
int check_one(const std::string& path, const Request& request, JsonFile& json, ReportOutput* text,
              Checks& checks) {
    std::string why;
    try {
        return report_one(path, request, json, text, &checks);
    } catch (const Error& error) {
        why = error.what();
    } catch (const std::bad_alloc&) {
        why = printable(path) + ": there is not enough memory for this dump";
    }
    log_error(why);
    checks.add_unread(path, why);
    return exit_cannot;
}

// What `check` says in the end goes where the text goes; JSON on standard output stays alone.
void finish_checks(Checks& checks, ReportOutput* text) {
    const std::string last = checks.finish();
    if (text != nullptr) return text->write(last);
    std::fputs(last.c_str(), stderr);
}

}  // namespace

std::optional<std::string> newest_dump(const std::string& folder) {
    namespace fs = std::filesystem;
    std::optional<std::string> newest;
    fs::file_time_type newest_time;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with("memtrace.") || !name.ends_with(".bin")) continue;
        std::error_code failed;
        const bool regular = entry->is_regular_file(failed);
        const auto time = entry->last_write_time(failed);
        if (!regular || failed || (newest && time <= newest_time)) continue;
        newest = folder == "." ? name : entry->path().string();
        newest_time = time;
    }
    return newest;
}

int run(Request request) {
    if (request.command == Command::suppressions) return print_suppressions();
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
    if (request.command == Command::baseline) return write_baseline(request);
    const bool text_to_stdout = request.json != "-";
    std::unique_ptr<ReportOutput> text =
        text_to_stdout ? std::make_unique<ReportOutput>("-") : nullptr;
    JsonFile json(request);
    std::optional<Checks> checks;
    if (request.command == Command::check) checks.emplace(request.check);
    const int worst = for_each_dump(request, [&](const std::string& dump) {
        return checks ? check_one(dump, request, json, text.get(), *checks)
                      : report_one(dump, request, json, text.get(), nullptr);
    });
    if (checks) finish_checks(*checks, text.get());
    if (text != nullptr) text->finish();
    json.finish();
    return worst;
}

int run_and_say(Request request) {
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
