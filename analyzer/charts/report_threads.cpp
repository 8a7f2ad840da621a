// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/charts/site_rows.h"
#include "analyzer/model/estimate.h"
#include "analyzer/model/measure.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t count_width = 11;
constexpr size_t size_width = 11;
constexpr size_t numbers_width = 2 + count_width + 4 * size_width + 2;
constexpr size_t most_width = 56;

// A thread in one space.
struct Row {
    uint32_t thread = 0;
    Totals totals;
    BlockSum freed_by_others;
    std::map<uint32_t, uint64_t> at_peak;  // bytes, by own line
    std::map<uint32_t, uint64_t> held;     // the same

    // The own line that held most at the peak, or if nothing was held then, at the end.
    std::optional<std::pair<uint32_t, uint64_t>> most() const {
        for (const auto* lines : {&at_peak, &held}) {
            const auto found =
                std::max_element(lines->begin(), lines->end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            if (found != lines->end() && found->second != 0) return *found;
        }
        return {};
    }
};

// Of a sample, what the threads had at the highest of all estimates is more than the peak of the
// space (FairPeak, sampled_blocks.h), for each of them in proportion. Both are of the call sites
// that pass the filters.
void take_excess(const Space& space, std::map<uint32_t, Row>& threads) {
    double at_peak = 0;
    for (const auto& [thread, row] : threads) at_peak += double(row.totals.at_peak_bytes);
    const double part = double(space.totals.at_peak_bytes) / at_peak;
    if (!space.is_estimate || at_peak == 0 || part >= 1) return;
    const auto less = [part](uint64_t& bytes) {
        bytes = static_cast<uint64_t>(std::llround(double(bytes) * part));
    };
    for (auto& [thread, row] : threads) {
        less(row.totals.at_peak_bytes);
        less(row.totals.at_peak_blocks);
        for (auto& [line, bytes] : row.at_peak) less(bytes);
    }
}

std::vector<Row> rows_of(const Recording& recording, const SiteRows& rows, size_t index) {
    std::map<uint32_t, Row> threads;
    const SpaceWatch* const watch = watch_of(recording, recording.model.spaces[index]);
    if (watch == nullptr) return {};
    // As in the column HELD. Filters do not change when the work ended.
    const Measure held = changed_after_work(recording.model, recording.model.spaces[index])
                             ? Measure::held
                             : Measure::leaked;
    watch->shares.for_each([&](const ThreadShare& share) {
        const std::optional<uint32_t> line = rows.row_of(index, share.site);
        if (!line) return;
        Row& row = threads[share.thread];
        row.thread = share.thread;
        add(row.totals, share.totals);
        row.freed_by_others.add(share.freed_by_others);
        row.at_peak[*line] += share.totals.at_peak_bytes;
        row.held[*line] += value_of(share.totals, held);
    });
    take_excess(recording.model.spaces[index], threads);
    std::vector<Row> sorted;
    for (auto& [thread, row] : threads) sorted.push_back(std::move(row));
    std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) {
        if (a.totals.at_peak_bytes != b.totals.at_peak_bytes) {
            return a.totals.at_peak_bytes > b.totals.at_peak_bytes;
        }
        return a.totals.allocated_bytes > b.totals.allocated_bytes;
    });
    return sorted;
}

std::string name_of(const ThreadInfo& thread) {
    if (thread.merged != 0) {
        return fmt::format("{}: {}", thread.name.empty() ? "(no name)" : printable(thread.name),
                           counted(thread.merged, "ended thread"));
    }
    // Threads of several processes that were merged have names and no numbers.
    if (thread.tid == 0 && !thread.name.empty()) return printable(thread.name);
    if (thread.tid == 0) return "thread whose start is not in the dump";
    return fmt::format("{} {}", thread.tid,
                       thread.name.empty() ? "(no name)" : printable(thread.name));
}

class Writer {
public:
    Writer(std::string& out, const Recording& recording, const SiteRows& rows,
           const TextOptions& options)
        : out_(out),
          recording_(recording),
          rows_(rows),
          options_(options),
          style_(options.colour) {}

    void write_lives() {
        std::vector<ThreadInfo> threads = recording_.model.threads;
        std::stable_sort(threads.begin(), threads.end(),
                         [](const ThreadInfo& a, const ThreadInfo& b) {
                             return a.allocated_bytes > b.allocated_bytes;
                         });
        write_title(out_, options_, counted(count_threads(threads), "thread"), "");
        out_ += style_.faint(fmt::format("  {:>{}}{:>{}}{:>13}{:>13}  THREAD", "CALLS", count_width,
                                         "ALLOCATED", size_width, "BEGAN", "ENDED")) +
                "\n";
        const size_t shown = std::min(threads.size(), options_.top);
        for (size_t i = 0; i < shown; ++i) {
            const ThreadInfo& thread = threads[i];
            out_ += fmt::format(
                "  {:>{}} {} {:>12} {:>12}  {}\n", exact_count(thread.allocations), count_width,
                style_.number(
                    fmt::format("{:>{}}", human_bytes(thread.allocated_bytes), size_width - 1)),
                human_time(thread.start_ns), thread.end_ns ? human_time(*thread.end_ns) : "-",
                cut_to_width(name_of(thread), name_room()));
        }
        uint64_t named = 0;
        for (size_t i = 0; i < shown; ++i) named += std::max<uint64_t>(threads[i].merged, 1);
        write_more(count_threads(threads) - named);
    }

    void write_space(size_t index) {
        const Space& space = recording_.model.spaces[index];
        const std::vector<Row> threads = rows_of(recording_, rows_, index);
        if (threads.empty()) return;
        sign_ = space.is_estimate ? "~" : "";
        // Filters do not change when the work ended.
        is_held_ = changed_after_work(recording_.model, space);
        write_title(out_, options_, "Threads in " + printable(space.name), "");
        out_ += style_.faint(fmt::format("  {:>{}}{:>{}}{:>{}}{:>{}}{:>{}}  THREAD", "CALLS",
                                         count_width, "ALLOCATED", size_width, "AT PEAK",
                                         size_width, "HELD", size_width, "BY OTHERS", size_width)) +
                "\n";
        Row rest, all;
        size_t left_out = 0, shown = 0;
        for (const Row& row : threads) {
            sum_up(all, row);
            if (shown < options_.top &&
                row.totals.at_peak_bytes >= options_.least(space.totals.at_peak_bytes)) {
                write_row(row,
                          cut_to_width(name_of(recording_.model.threads[row.thread]), name_room()));
                write_most(row);
                shown += 1;
                continue;
            }
            sum_up(rest, row);
            left_out += 1;
        }
        if (left_out != 0) write_row(rest, style_.faint(counted(left_out, "thread") + " more"));
        if (threads.size() > 1) write_row(all, style_.faint("in all"));
    }

private:
    static void sum_up(Row& sum, const Row& row) {
        add(sum.totals, row.totals);
        sum.freed_by_others.add(row.freed_by_others);
    }

    size_t name_room() const {
        return options_.width > numbers_width + 12 ? options_.width - numbers_width : 12;
    }

    std::string size(uint64_t bytes) const {
        const std::string text = bytes == 0 ? "-" : sign_ + human_bytes(bytes);
        return fmt::format(" {:>{}}", text, size_width - 1);
    }

    void write_row(const Row& row, const std::string& name) {
        const Totals& totals = row.totals;
        out_ += fmt::format("  {:>{}}{}{}{}{}  {}\n", sign_ + exact_count(totals.allocations),
                            count_width, size(totals.allocated_bytes),
                            style_.number(size(totals.at_peak_bytes)),
                            size(is_held_ ? totals.held_bytes : totals.live_bytes),
                            size(row.freed_by_others.bytes), name);
    }

    void write_most(const Row& row) {
        const auto most = row.most();
        if (!most) return;
        const std::string bytes = ", " + sign_ + human_bytes(most->second);
        // Below the name of the thread, or further to the left for want of room.
        const size_t left = options_.width > most_width ? options_.width - most_width : 2;
        const size_t indent = std::min(numbers_width + 2, left);
        const std::string before = "mostly ";
        const size_t taken = indent + before.size() + bytes.size();
        const size_t room = options_.width > taken + 16 ? options_.width - taken : 16;
        out_ += std::string(indent, ' ') +
                style_.faint(before + rows_.text(most->first, room) + bytes) + "\n";
    }

    void write_more(uint64_t count) {
        if (count != 0) {
            out_ += fmt::format("  and {} (--top shows more)\n", counted(count, "further thread"));
        }
    }

    std::string& out_;
    const Recording& recording_;
    const SiteRows& rows_;
    const TextOptions& options_;
    Style style_;
    std::string sign_;
    bool is_held_ = false;
};

Json space_json(const Space& space, const Row& row, const SiteRows& rows) {
    const Totals& totals = row.totals;
    Json json{{"allocations", totals.allocations},
              {"frees", totals.frees},
              {"allocated_bytes", totals.allocated_bytes},
              {"at_peak_blocks", totals.at_peak_blocks},
              {"at_peak_bytes", totals.at_peak_bytes},
              {"held_blocks", totals.held_blocks},
              {"held_bytes", totals.held_bytes},
              {"leaked_blocks", totals.live_blocks},
              {"leaked_bytes", totals.live_bytes},
              {"temporary", knows_temporary(space) ? Json(totals.temporary) : Json(nullptr)},
              {"freed_by_others_blocks", row.freed_by_others.blocks},
              {"freed_by_others_bytes", row.freed_by_others.bytes}};
    const auto most = row.most();
    json["most"] = most ? rows.json(most->first) : Json(nullptr);
    if (most) json["most"]["bytes"] = most->second;
    return json;
}

}  // namespace

void write_threads(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    const SiteRows rows(recording);
    Writer writer(out, recording, rows, options);
    writer.write_lives();
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        if (options.shows(recording.model.spaces[i])) writer.write_space(i);
    }
    out += "\n";
    if (recording.model.watch == nullptr) {
        write_wrapped(out,
                      recording.is_compacted
                          ? "  The dump was compacted: it has what each thread allocated, and not "
                            "what it held."
                          : "  A profile has what each thread allocated, and not what it held; the "
                            "dump has both.",
                      2, options.width);
    } else {
        write_wrapped(out,
                      "  AT PEAK, HELD: of what the thread allocated, whoever frees it. BY OTHERS: "
                      "of this, freed by other threads.",
                      2, options.width);
    }
    write_foot(out, recording, options);
}

std::string threads_memory_json(const Recording& recording) {
    const SiteRows rows(recording);
    const Model& model = recording.model;
    std::vector<Json> spaces(model.threads.size(), Json::object());
    for (size_t i = 0; i < model.spaces.size(); ++i) {
        for (const Row& row : rows_of(recording, rows, i)) {
            const Space& space = model.spaces[i];
            spaces[row.thread][space.name] = space_json(space, row, rows);
        }
    }
    Json threads = Json::array();
    for (size_t i = 0; i < model.threads.size(); ++i) {
        const ThreadInfo& thread = model.threads[i];
        threads.push_back({{"tid", thread.tid},
                           {"name", thread.name},
                           {"start_ns", thread.start_ns},
                           {"end_ns", thread.end_ns ? Json(*thread.end_ns) : Json(nullptr)},
                           {"spaces", spaces[i]}});
        if (thread.merged != 0) threads.back()["ended_threads"] = thread.merged;
    }
    return "\"thread_memory\": " + json_text(threads, 2);
}

}  // namespace memtrace::analyzer
