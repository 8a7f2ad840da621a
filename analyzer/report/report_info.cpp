// SPDX-License-Identifier: Apache-2.0
//
// The report `info`: what was recorded and how, without call sites.
#include "analyzer/report/report_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/report/report_gpu.h"
#include "analyzer/sites/unwind_gaps.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t gaps_shown = 10;

std::string utc_time(uint64_t realtime_ns) {
    const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
    std::tm parts{};
    char text[32];
    if (gmtime_r(&seconds, &parts) == nullptr) return "?";
    if (std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) return "?";
    return text;
}

const char* names_text(Names names) {
    switch (names) {
        case Names::none: return "not found";
        case Names::rebuilt: return "rebuilt";
        case Names::symbols: return "functions";
        case Names::lines: return "lines";
    }
    return "";
}

class Info {
public:
    Info(std::string& out, const Recording& recording, const TextOptions& options)
        : out_(out),
          recording_(recording),
          model_(recording.model),
          options_(options),
          style_(options.colour) {}

    void run() {
        recording();
        stacks();
        contradictions();
        classes();
        modules();
        threads();
        samples();
        marks();
    }

private:
    void title(const std::string& text) { out_ += "\n" + style_.heading(text) + "\n"; }
    void row(const std::string& name, const std::string& value) {
        write_wrapped(out_, fmt::format("  {:<16}{}", name, printable(value)), 18, options_.width);
    }

    void recording() {
        title("Recording");
        row("dump", recording_.path + ", " + counted(model_.capture.dump_bytes, "byte"));
        if (model_.process.start_realtime_ns != 0) {
            row("started", utc_time(model_.process.start_realtime_ns));
        }
        row("executable", model_.process.executable);
        memory();
        row("parent process", std::to_string(model_.process.parent_pid));
        row("recorded by", "memtrace " + model_.process.shim_version);
        row("stack nodes", exact_count(model_.capture.stacks));
        std::string options;
        for (const auto& [key, value] : model_.options) {
            options += (options.empty() ? "" : " ") + key + "=" + value;
        }
        if (!options.empty()) row("options", options);
        row("Python frames", python_state_text(model_));
        if (model_.capture.python_objects) row("Python objects", python_objects_text(model_));
        gpus();
    }

    // For blocks and mappings. Contradictions of GPU memory are reported as problems of their own.
    void contradictions() {
        const Capture& capture = model_.capture;
        if (capture.anomalies == 0) return;
        title(fmt::format("Contradictions between events ({})", exact_count(capture.anomalies)));
        out_ += style_.faint(fmt::format("  {:>12}  {:<18}  WHAT", "AFTER", "ADDRESS")) + "\n";
        for (const AnomalyInfo& anomaly : capture.first_anomalies) {
            out_ += fmt::format("  {:>12}  {:<#18x}  {}\n", human_time(anomaly.time_ns),
                                anomaly.address, anomaly.what);
        }
        if (capture.anomalies > capture.first_anomalies.size()) {
            out_ += fmt::format("  and {} more\n",
                                exact_count(capture.anomalies - capture.first_anomalies.size()));
        }
    }

    void memory() {
        const uint64_t machine = model_.process.machine_memory;
        const uint64_t limit = model_.process.memory_limit;
        const auto exactly = [](uint64_t bytes) {
            return human_bytes(bytes) + " (" + counted(bytes, "byte") + ")";
        };
        if (machine != 0) row("machine memory", exactly(machine));
        if (limit == 0) return;
        const bool is_less = machine == 0 || limit < machine;
        row("memory limit", exactly(limit) + ", of the control group" +
                                (is_less ? "" : ": more than the machine has"));
    }

    void gpus() {
        std::string text = gpu_state_text(model_);
        const auto& source = model_.gpu.source;
        if (source && source->driver_version != 0) {
            text += fmt::format(" (CUDA {}.{})", source->driver_version / 1000,
                                source->driver_version % 1000 / 10);
        }
        row("GPU memory", text);
        for (const GpuDeviceInfo& device : model_.gpu.devices) {
            row(fmt::format("GPU {}", device.device), gpu_device_text(device));
        }
    }

    void stacks() {
        const uint64_t all = model_.capture.captures;
        if (all == 0) return;
        const UnwindGaps gaps = unwind_gaps(recording_);
        const uint64_t complete = captures_complete(recording_);
        uint64_t known = complete;
        title(fmt::format("Call stacks ({})", exact_count(all)));
        out_ +=
            style_.faint(fmt::format("  {:>15}{:>8}  HOW FAR THEY REACH", "COUNT", "SHARE")) + "\n";
        if (complete != 0) stacks_row(complete, "complete: to the start of the program or thread");
        for (const auto& [cut, count] : model_.capture.cuts) {
            known += count;
            stacks_row(count, "cut: " + std::string(reason_of(cut)));
            if (const auto ends = gaps.ends.find(cut); ends != gaps.ends.end()) {
                module_rows(ends->second);
            }
        }
        if (known < all) stacks_row(all - known, "end where no thread is known to start");
        if (gaps.guessed != 0) {
            stacks_row(gaps.guessed, "of all: with a guessed frame, in code without unwind data");
            module_rows(gaps.guessed_in);
        }
        walks();
        python_walks();
        tables();
    }

    void tables() {
        if (!model_.capture.tables) return;
        const ShimTables& tables = *model_.capture.tables;
        title("Memory of memtrace's own tables in the process");
        const auto row = [&](uint64_t bytes, const std::string& of) {
            if (bytes == 0) return;
            write_wrapped(out_, fmt::format("  {:>15}          {}", human_bytes(bytes), of), 27,
                          options_.width);
        };
        row(tables.stacks, "stacks");
        row(tables.rules, "unwind rules");
        row(tables.python, "Python's code objects");
        row(tables.threads, "what threads remember of their last stacks; the busiest one " +
                                human_bytes(tables.thread_max));
    }

    // Writes how the Python parts of stacks were found.
    void python_walks() {
        const PythonWalks& walks = model_.capture.python_walks;
        const uint64_t all = walks.stacks + walks.empty + walks.foreign + walks.unread;
        if (all == 0) return;
        title(fmt::format("Python's part of stacks ({})", exact_count(all)));
        const auto share_row = [&](uint64_t count, const std::string& text) {
            if (count != 0) count_row(count, percent(count, all), text);
        };
        out_ += style_.faint(fmt::format("  {:>15}{:>8}  WHAT IS THERE", "COUNT", "SHARE")) + "\n";
        share_row(walks.stacks, "frames");
        share_row(walks.empty, "none: the thread ran no Python then");
        share_row(walks.foreign, "none: Python does not know the thread");
        share_row(walks.unread, "not known");
        for (const auto& [gap, count] : model_.capture.python_gaps) {
            share_row(count, "of all: not known: " + std::string(reason_of(gap)));
        }
        out_ += style_.faint(fmt::format("  {:>15}          HOW THEY WERE FOUND", "FRAMES")) + "\n";
        count_row(walks.kept, "", "unchanged since an earlier stack: compared, not read");
        count_row(walks.frames - walks.kept, "", "read");
    }

    // Writes how the stacks were found. Old dumps do not contain this.
    void walks() {
        const Walks& walks = model_.capture.walks;
        if (walks.walked == 0) return;
        out_ += style_.faint(fmt::format("  {:>15}          HOW THEY WERE FOUND", "FRAMES")) + "\n";
        count_row(walks.verified, "", "unchanged since an earlier stack: compared, not walked");
        // Stacks of samples, too, which are not among those that were captured.
        count_row(walks.walked, "",
                  fmt::format("walked, {} until an earlier stack went on",
                              counted(walks.splices, "time")));
        if (walks.bridged != 0)
            count_row(walks.bridged, "", "of these: with all registers, one at a time");
        if (walks.guessed != 0)
            count_row(walks.guessed, "", "of these: guessed, without unwind data");
        if (walks.recognised == 0) return;
        out_ += style_.faint(fmt::format("  {:>15}", "STACKS")) + "\n";
        stacks_row(walks.recognised, "known whole: no frame of them was walked");
    }

    void stacks_row(uint64_t count, const std::string& text) {
        const bool is_part = count <= model_.capture.captures;
        count_row(count, is_part ? percent(count, model_.capture.captures) : "", text);
    }

    void count_row(uint64_t count, const std::string& share, const std::string& text) {
        write_wrapped(out_, fmt::format("  {:>15}{:>8}  {}", exact_count(count), share, text), 27,
                      options_.width);
    }

    void module_rows(const ModuleCounts& counts) {
        const auto line = [this](uint64_t count, const std::string& text) {
            out_ += fmt::format("  {:>15}{:14}{}\n", exact_count(count), "", text);
        };
        uint64_t rest = 0;
        for (size_t i = 0; i < counts.size(); ++i) {
            if (i < gaps_shown) line(counts[i].captures, printable(counts[i].module));
            else rest += counts[i].captures;
        }
        if (rest != 0) line(rest, fmt::format("in {} more", counts.size() - gaps_shown));
    }

    void classes() {
        for (const Space& space : model_.spaces) {
            if (space.classes.empty()) continue;
            title((space.name == "mmap" ? "Mappings by class (" : "Memory by class (") +
                  printable(space.name) + ")");
            out_ += style_.faint(fmt::format("  {:<14}{:>12}{:>12}{:>12}", "CLASS", "ALLOCATED",
                                             "AT THE END", "CALLS")) +
                    "\n";
            for (const auto& [name, totals] : space.classes) {
                out_ +=
                    fmt::format("  {:<14}{:>12}{:>12}{:>12}\n", printable(name),
                                human_bytes(totals.allocated_bytes), human_bytes(totals.live_bytes),
                                exact_count(totals.allocations));
            }
        }
    }

    void modules() {
        if (recording_.symbols.modules.empty()) return;
        title("Modules that occur in stacks");
        out_ += style_.faint(fmt::format("  {:<11}{:<14}FILE", "NAMES", "BUILD ID")) + "\n";
        for (const auto& [id, names] : recording_.symbols.modules) {
            const ModuleInfo& module = model_.stacks.modules.at(id);
            const std::string build_id = hex(module.build_id).substr(0, 12);
            const std::string text = fmt::format("{:<11}", names_text(names));
            const bool known = names != Names::none && names != Names::rebuilt;
            out_ += fmt::format("  {}{:<14}{}\n", known ? text : style_.bad(text),
                                build_id.empty() ? "-" : build_id, printable(module.path));
        }
    }

    void threads() {
        if (model_.threads.empty()) return;
        title(fmt::format("Threads ({})", count_threads(model_.threads)));
        std::vector<const ThreadInfo*> sorted;
        for (const ThreadInfo& thread : model_.threads) sorted.push_back(&thread);
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
            return a->allocated_bytes > b->allocated_bytes;
        });
        out_ += style_.faint(fmt::format("  {:<10}{:<18}{:>12}{:>15}{:>13}{:>13}", "THREAD", "NAME",
                                         "ALLOCATED", "CALLS", "FROM", "TO")) +
                "\n";
        for (size_t i = 0; i < std::min(sorted.size(), options_.top); ++i) {
            const ThreadInfo& thread = *sorted[i];
            const std::string tid = thread.merged != 0 ? fmt::format("{} x", thread.merged)
                                                       : fmt::to_string(thread.tid);
            out_ += fmt::format("  {:<10}{:<18}{:>12}{:>15}{:>13}{:>13}\n", tid,
                                thread.name.empty() ? "-" : printable(thread.name),
                                human_bytes(thread.allocated_bytes),
                                exact_count(thread.allocations), human_time(thread.start_ns),
                                thread.end_ns ? human_time(*thread.end_ns) : "-");
        }
        if (sorted.size() > options_.top) {
            out_ += fmt::format("  and {} more\n", sorted.size() - options_.top);
        }
    }

    void samples() {
        if (model_.samples.empty()) return;
        const auto is_known = [](const RssSample& sample) { return sample.rss != 0; };
        if (std::ranges::none_of(model_.samples, is_known)) {
            title("Memory of the process, as the kernel counts it");
            return row("RSS", "not known: the process could not read /proc/self");
        }
        const auto highest =
            std::max_element(model_.samples.begin(), model_.samples.end(),
                             [](const RssSample& a, const RssSample& b) { return a.rss < b.rss; });
        title("Memory of the process, as the kernel counts it");
        row("highest RSS",
            fmt::format("{} after {} ({})", human_bytes(highest->rss), human_time(highest->time_ns),
                        counted(model_.samples.size(), "sample")));
        row("last RSS", human_bytes(model_.samples.back().rss));
    }

    void marks() {
        if (model_.marks.empty()) return;
        title(fmt::format("Marks ({})", model_.marks.size()));
        for (size_t i = 0; i < std::min(model_.marks.size(), options_.top); ++i) {
            const MarkInfo& mark = model_.marks[i];
            const char* kind = mark.kind == MarkKind::begin ? "begin "
                               : mark.kind == MarkKind::end ? "end "
                                                            : "";
            row(human_time(mark.time_ns), kind + mark.text);
        }
        if (model_.marks.size() > options_.top) {
            out_ += fmt::format("  and {} more\n", model_.marks.size() - options_.top);
        }
    }

    std::string& out_;
    const Recording& recording_;
    const Model& model_;
    const TextOptions& options_;
    Style style_;
};

}  // namespace

void write_info(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    Info(out, recording, options).run();
    write_foot(out, recording, options);
}

}  // namespace memtrace::analyzer
