// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/base/units.h"
#include "analyzer/sites/recording_times.h"

namespace memtrace::analyzer {
namespace {

// A run that is shorter is judged if it has as many events.
constexpr double seconds_min = 0.5;
constexpr uint64_t events_min = 1000;

constexpr uint64_t long_steps = 100;  // of growth that is no start any more
// The program has gone on to something else if it worked on for this part of the time of growth.
constexpr double gone_on_part = 0.2;
constexpr uint64_t gone_on_min_ns = 20'000'000;
// But a pause tells nothing if it is not longer than this many earlier ones. An arena whose blocks
// double in size takes the next one after twice the time.
constexpr uint64_t gone_on_pauses = 2;
// If it worked on for this part, and for as long as some steps take, growth may be over.
constexpr double paused_part = 0.03;
constexpr uint64_t paused_steps = 10;
// A run without steps that is shorter may have loaded its data, and done nothing else.
constexpr uint64_t short_ns = 500'000'000;
// Shares of the blocks that count as all of them, and as none.
constexpr double all_part = 0.9;
constexpr double none_part = 0.1;

}  // namespace

std::string_view word_of(GrowthReason reason) {
    static constexpr std::array<std::string_view, 6> words{
        "unknown", "not_freed",    "freed_at_exit", "freed_when_python_ended",
        "lost",    "freed_in_work"};
    return words[static_cast<size_t>(reason)];
}

std::string_view sentence_of(GrowthReason reason) {
    static constexpr std::array<std::string_view, 6> sentences{
        "",
        "still held when the process ended",
        "freed when the work was over, by exit handlers",
        "freed when Python ended: still referenced until then, or cycles not yet collected "
        "(gc.collect() would tell)",
        "lost: nothing in the program points to them any more",
        "freed by the program before its work was over, all of them or nearly all"};
    return sentences[static_cast<size_t>(reason)];
}

RunFacts facts_of_run(const Model& model) {
    RunFacts run;
    run.is_python = model.capture.python && model.capture.python->state == PythonState::on;
    // After _exit() nothing has been taken apart, and after a kill neither.
    run.has_ended = model.process.end.starts_with("exit") && model.process.work_end_ns;
    run.is_running = model.process.end == "running";
    run.is_marked = !model.slices.step.empty() && !model.slices.is_found;
    run.work_end_ns = model.process.work_end_ns.value_or(model.process.duration_ns);
    return run;
}

bool is_long_growth(uint64_t lasted_ns, uint64_t steps) {
    return lasted_ns >= long_growth_ns && (steps == 0 || steps >= long_steps);
}

GrowthReason reason_of(const RunFacts& run, const GrownBlocks& blocks) {
    const double grown_blocks = blocks.grown, live_blocks = blocks.alive;
    if (grown_blocks > 0 && blocks.lost >= grown_blocks * all_part) return GrowthReason::lost;
    if (!run.has_ended || grown_blocks <= 0) return GrowthReason::unknown;
    if (live_blocks >= grown_blocks * all_part) return GrowthReason::not_freed;
    if (live_blocks > grown_blocks * none_part) return GrowthReason::unknown;
    // As what a local of main() had, which is gone before Python begins to end.
    if (blocks.held <= grown_blocks * none_part) return GrowthReason::freed_in_work;
    if (blocks.held < grown_blocks * all_part) return GrowthReason::unknown;
    return run.is_python ? GrowthReason::freed_when_python_ended : GrowthReason::freed_at_exit;
}

GrowthTime time_of(const GrowthCurves& curves, const Curve& curve, const Judgement& judgement,
                   uint64_t last_birth_ns, const RunFacts& run) {
    GrowthTime time{
        .begin_ns = curves.begin_ns(judgement.since),
        .end_ns = std::max(curves.active_end_ns(judgement.until), last_birth_ns),
        .steps = curves.steps_in(judgement.since, judgement.until),
        .longest_pause_ns = curves.longest_pause_ns(curve, judgement.since, judgement.until)};
    if (last_birth_ns != 0 && last_birth_ns + time.longest_pause_ns < run.work_end_ns)
        time.end_ns = std::min(time.end_ns, last_birth_ns);
    time.is_quiet_after = curves.is_quiet_after(time.end_ns);
    return time;
}

void decide(Judgement& judgement, GrowthReason reason, const RunFacts& run,
            const GrowthTime& time) {
    if (reason == GrowthReason::lost && is_growth(judgement.verdict)) {
        judgement.verdict = Verdict::leak;  // whatever the course of it looks like
        judgement.confidence = 1;
        judgement.why += "; nothing points to these blocks any more";
        return;
    }
    if (judgement.verdict != Verdict::leak) return;
    const bool is_known = run.is_marked || run.does_known_steps;
    const uint64_t lasted = time.end_ns - std::min(time.begin_ns, time.end_ns);
    const uint64_t after = run.work_end_ns - std::min(time.end_ns, run.work_end_ns);
    const bool has_gone_on =
        after > gone_on_min_ns &&
        static_cast<double>(after) > static_cast<double>(lasted) * gone_on_part;
    if (has_gone_on && !is_known && after <= time.longest_pause_ns * gone_on_pauses) {
        judgement.verdict = Verdict::growing;
        judgement.confidence = std::min(judgement.confidence, 0.5);
        judgement.why += fmt::format(
            "; nothing more came in the last {}, but it has paused for {} "
            "before",
            human_time(after), human_time(time.longest_pause_ns));
        return;
    }
    if (has_gone_on && !is_known && time.is_quiet_after) {
        judgement.verdict = Verdict::growing;
        judgement.confidence = std::min(judgement.confidence, 0.5);
        judgement.why += fmt::format(
            "; but nothing more came in the last {}, in which the program allocated hardly "
            "anything: it may have gone on to something else, or have waited",
            human_time(after));
        return;
    }
    if (has_gone_on && !is_known) {
        judgement.verdict = Verdict::loaded;
        judgement.why +=
            fmt::format("; but that was over after {}, and the program worked on for {}",
                        human_time(time.end_ns), human_time(after));
        return;
    }
    const bool has_paused = !is_known && time.steps > 0 &&
                            after > lasted / time.steps * paused_steps &&
                            static_cast<double>(after) > static_cast<double>(lasted) * paused_part;
    if (has_paused) {
        judgement.verdict = Verdict::growing;
        judgement.confidence = std::min(judgement.confidence, 0.5);
        judgement.why += fmt::format("; but nothing more came in the last {}", human_time(after));
        return;
    }
    // Python takes its data apart when it ends, so what stays then is no data that was loaded.
    const bool may_be_data = !run.is_python || reason != GrowthReason::not_freed;
    if (time.steps == 0 && !is_known && may_be_data && run.work_end_ns < short_ns) {
        judgement.verdict = Verdict::growing;
        judgement.confidence = std::min(judgement.confidence, 0.5);
        judgement.why += "; the run is too short to tell data that is loaded from a leak";
        return;
    }
    if (is_known || is_long_growth(lasted, time.steps) || reason == GrowthReason::not_freed) return;
    judgement.verdict = Verdict::growing;
    judgement.confidence = std::min(judgement.confidence, 0.5);
    judgement.why += run.has_ended ? "; it may be data being collected"
                     : run.is_running
                         ? "; the program still runs, so it is not known if it will free them"
                         : "; the program ended without its exit handlers, so it is not known "
                           "if it would have freed them";
}

std::string reason_not_to_judge(const Model& model, bool has_histories,
                                const GrowthCurves& curves) {
    if (!has_histories) {
        return "this profile is of several processes, and they did not do the same marked steps";
    }
    if (holds_unsure(model)) return "what went while the recording was off seems to be held";
    if (model.slices.slices.empty()) return "nothing was allocated while the program worked";
    if (curves.by_steps()) {
        if (model.slices.steps >= growth_points_min) return {};
        return fmt::format("the program did {} only: at least {} are needed",
                           counted(model.slices.steps, "step"), growth_points_min);
    }
    const double seconds = curves.seconds().back();
    uint64_t events = 0;
    for (const RunSlice& slice : model.slices.slices) events += slice.is_after ? 0 : slice.events;
    if (seconds < seconds_min && events < events_min) {
        return fmt::format(
            "the program worked for {} only and did {}: it takes at least {} s, {}, or steps, to "
            "tell growth from a start{}",
            human_time(static_cast<uint64_t>(seconds * 1e9)), counted(events, "event"), seconds_min,
            counted(events_min, "event"),
            model.loops.why_none.empty() ? "" : "; no steps: " + model.loops.why_none);
    }
    if (curves.size() < growth_points_min) {
        return "nearly all of the work was done in a moment: there is no course of time to judge";
    }
    return {};
}

}  // namespace memtrace::analyzer
