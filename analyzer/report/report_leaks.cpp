// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_leaks.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/report/report_lost.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/report/report_sites.h"

namespace memtrace::analyzer {

namespace {

std::string held_in(const Recording& recording, const Space& space) {
    const auto& phase = recording.model.phase;
    if (!phase) return "Held when the work ended in " + printable(space.name);
    return fmt::format("Allocated in the {} and held when the work ended, in {}", phase->noun(),
                       printable(space.name));
}

std::string left_in(const Recording& recording, const Space& space) {
    const auto& phase = recording.model.phase;
    if (!phase) return "Still allocated at the end in " + printable(space.name);
    return fmt::format("Allocated in the {} and not freed when it ended, in {}", phase->noun(),
                       printable(space.name));
}

// Memory that is released during the exit was held at the end of the work all the same.
void write_held_of(std::string& out, const Recording& recording, const Space& space,
                   const TextOptions& options) {
    const Totals& totals = space.totals;
    std::string rest = ": " + amount_text(space, totals.held_bytes, totals.held_blocks);
    rest += totals.live_blocks == 0 && totals.live_bytes == 0
                ? std::string("; nothing of it is left at the end")
                : fmt::format("; at the end {}{} are allocated", space.is_estimate ? "~" : "",
                              human_bytes(totals.live_bytes));
    write_title(out, options, held_in(recording, space), rest);
    write_site_list(out, recording, space, Measure::held, options);
}

}  // namespace

std::string amount_text(const Space& space, uint64_t bytes, uint64_t blocks) {
    if (space.is_estimate) {
        return fmt::format("~{} in ~{}", human_bytes(bytes), counted(blocks, "block"));
    }
    return fmt::format("{} ({}) in {}", human_bytes(bytes), counted(bytes, "byte"),
                       counted(blocks, "block"));
}

void write_arenas_of(std::string& out, const Recording& recording, const Space& space,
                     uint64_t arenas, uint64_t objects, const TextOptions& options) {
    // The arenas of a phase, or of a few sites, are not known.
    const bool is_whole = !recording.model.phase && !recording.model.filters;
    if (space.name != "python" || arenas == 0 || !is_whole) return;
    const char* const sign = space.is_estimate ? "~" : "";
    std::string text = fmt::format("  in arenas of {}: {}{} in objects, {}{} free or rounding",
                                   human_bytes(arenas), sign, human_bytes(objects), sign,
                                   human_bytes(arenas - std::min(arenas, objects)));
    const auto& info = recording.model.capture.python_objects;
    if (info && space.is_estimate) {
        text += fmt::format("; estimated from a sample of {}, one in {} on average",
                            counted(info->sampled, "object"), human_bytes(info->interval));
    }
    write_wrapped(out, text, 4, options.width);
}

void write_alive_of(std::string& out, const Recording& recording, const Space& space,
                    const TextOptions& options) {
    const std::string what = left_in(recording, space);
    // In a phase, a pool's block may have grown that was there before.
    const bool is_nothing = space.totals.live_blocks == 0 && space.totals.live_bytes == 0;
    if (is_nothing) return write_title(out, options, what, ": nothing");
    write_title(out, options, what,
                ": " + amount_text(space, space.totals.live_bytes, space.totals.live_blocks));
    if (const auto& info = recording.model.capture.python_objects) {
        write_arenas_of(out, recording, space, info->arena_bytes, space.totals.live_bytes, options);
    }
    write_site_list(out, recording, space, Measure::leaked, options);
}

void write_leaks_of(std::string& out, const Recording& recording, const Space& space,
                    const TextOptions& options) {
    if (changed_after_work(recording.model, space)) write_held_of(out, recording, space, options);
    else write_alive_of(out, recording, space, options);
}

void write_leaks_in_summary(std::string& out, const Recording& recording, const Space& space,
                            const TextOptions& options) {
    const Totals& totals = space.totals;
    const bool is_same = totals.live_bytes == totals.own_peak_bytes && totals.live_blocks != 0 &&
                         !changed_after_work(recording.model, space) && !recording.model.phase;
    if (!is_of_gpu(space) || !is_same) return write_leaks_of(out, recording, space, options);
    write_title(out, options, left_in(recording, space),
                ": as much as at the peak, " + human_bytes(totals.live_bytes));
}

void write_leaks(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    write_lost(out, recording, options);
    if (options.lost_only) return write_foot(out, recording, options);
    write_own_lines(out, recording, find_own_lines(recording), OwnFigures::held, options);
    for (const Space& space : recording.model.spaces) {
        if (options.shows(space)) write_leaks_of(out, recording, space, options);
    }
    write_foot(out, recording, options);
}

}  // namespace memtrace::analyzer
