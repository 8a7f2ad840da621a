// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr size_t steps_min = 3;
// Less is noise of what happens to be alive when a step ends.
constexpr uint64_t grown_min = 64 << 10;

// "step 12" and "step 13" are marks of one name.
std::string without_numbers(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit) name += c;
        if (is_digit && !name.ends_with('#')) name += '#';
    }
    return name;
}

// True if rounds of which the first began then, and the last, go on as long as the backward passes
// do, but for the first two and those of the last round, two at least.
bool covers(const std::vector<BackwardRun>& runs, uint64_t first, uint64_t last, uint64_t rounds) {
    const size_t half = (runs.size() - 1) / 2;
    const size_t in_a_round = (runs.size() + rounds - 1) / rounds;
    const size_t before = std::min<size_t>(2, half);
    const size_t behind = std::min<size_t>(std::max<size_t>(2, in_a_round), half);
    return first <= runs[before].begin && last >= runs[runs.size() - 1 - behind].begin;
}

// True if a loop with more rounds than there are passes goes backward in most of them, from some
// round on. One inside of a step is begun for each pass.
bool goes_mostly_backward(const SourceLoop& loop, const std::vector<BackwardRun>& runs) {
    return *loop.count < 2 * runs.size() && 2 * loop.entries <= runs.size() &&
           loop.begin_ns <= runs.front().begin && loop.end_ns >= runs[runs.size() - 2].begin;
}

bool may_be_steps(const SourceLoop& loop, const std::vector<BackwardRun>& runs) {
    if (!loop.count || *loop.count < steps_min) return false;
    return *loop.count <= runs.size() ? covers(runs, loop.begin_ns, loop.end_ns, *loop.count)
                                      : goes_mostly_backward(loop, runs);
}

// True if the loop goes round once for each of the times that the optimiser learned, or nearly so.
// Only some of the passes in such a round need be learned from: others tell a sample or a batch
// where to go.
bool learns_each_time(const SourceLoop& loop, uint64_t times) {
    const uint64_t difference = std::max(times, *loop.count) - std::min(times, *loop.count);
    return times >= steps_min && difference * 10 <= std::max<uint64_t>(times, 10);
}

StepRow row_of(const TensorLives& tensors, const TrainingKinds& kinds, const TrainingSteps& steps,
               uint32_t space, size_t step) {
    const uint64_t begin = steps.begins[step], end = steps.end_of(step);
    StepRow row;
    row.step = step + 1;
    std::vector<std::pair<uint64_t, int64_t>> changes;
    int64_t held = 0;
    for (size_t i = 0; i < tensors.lives.size(); ++i) {
        const TensorLife& life = tensors.lives[i];
        if (life.space != space || life.born >= end || life.died <= begin) continue;
        const auto bytes = static_cast<int64_t>(life.bytes);
        if (life.died > end || life.died == TensorLife::never) {
            row.at_end[static_cast<size_t>(kinds.at(i, end))] += life.bytes;
        } else {
            row.released += life.bytes;
            changes.emplace_back(life.died, -bytes);
        }
        if (life.born < begin) {
            held += bytes;
        } else {
            row.made += life.bytes;
            changes.emplace_back(life.born, bytes);
        }
    }
    // Of one moment, what is given back comes first.
    std::sort(changes.begin(), changes.end());
    int64_t most = held;
    for (const auto& [time, bytes] : changes) most = std::max(most, held += bytes);
    row.most = static_cast<uint64_t>(most);
    return row;
}

}  // namespace

uint64_t TrainingSteps::number_at(uint64_t time) const {
    if (begins.empty() || time >= end) return 0;
    return static_cast<uint64_t>(std::upper_bound(begins.begin(), begins.end(), time) -
                                 begins.begin());
}

SourceLoops loops_at(SourceLoops loops, const std::set<LoopPlace>& places) {
    for (SourceLoop& loop : loops.loops) {
        if (!places.contains({loop.file, loop.line})) loop.count = std::nullopt;
    }
    return loops;
}

std::optional<size_t> training_loop(const SourceLoops& loops,
                                    const std::vector<BackwardRun>& runs) {
    std::optional<size_t> best;
    if (runs.size() < steps_min) return best;
    const auto learned = static_cast<uint64_t>(std::count_if(
        runs.begin(), runs.end(), [](const BackwardRun& run) { return run.is_learned; }));
    const auto worth = [&](const SourceLoop& one) {
        return std::tuple(learns_each_time(one, learned),
                          std::min<uint64_t>(*one.count, runs.size()), *one.count <= runs.size(),
                          one.is_own);
    };
    for (size_t i = 0; i < loops.loops.size(); ++i) {
        const SourceLoop& loop = loops.loops[i];
        if (!may_be_steps(loop, runs)) continue;
        if (!best || worth(loop) > worth(loops.loops[*best])) best = i;
    }
    return best;
}

std::optional<size_t> loop_of_part(const SourceLoops& loops, const std::vector<BackwardRun>& runs) {
    std::optional<size_t> best;
    for (size_t i = 0; i < loops.loops.size(); ++i) {
        const SourceLoop& loop = loops.loops[i];
        if (!loop.count || *loop.count < steps_min) continue;
        const auto inside = static_cast<uint64_t>(
            std::count_if(runs.begin(), runs.end(), [&](const BackwardRun& run) {
                return loop.begin_ns <= run.begin && run.begin <= loop.end_ns;
            }));
        // The pass of its last round follows.
        if (inside + 1 < *loop.count || 3 * (inside + 1) < runs.size()) continue;
        const auto worth = [&](const SourceLoop& one) { return std::pair(*one.count, one.is_own); };
        if (!best || worth(loop) > worth(loops.loops[*best])) best = i;
    }
    return best;
}

TrainingSteps marked_steps(const TensorLives& tensors) {
    std::map<std::string, std::vector<uint64_t>> names;
    for (const MarkedMoment& mark : tensors.marks) {
        names[without_numbers(mark.text)].push_back(mark.time);
    }
    TrainingSteps best;
    for (auto& [name, times] : names) {
        if (times.size() < steps_min || times.size() > tensors.runs.size()) continue;
        if (!covers(tensors.runs, times.front(), times.back(), times.size())) continue;
        if (times.size() > best.count()) best = {name, std::move(times), 0, "", false};
    }
    // What follows the last mark need not be a step.
    if (best.count() > 0) {
        best.end = best.begins.back();
        best.begins.pop_back();
    }
    return best;
}

TrainingSteps passes_as_steps(const std::vector<BackwardRun>& runs, std::string why_no_steps) {
    TrainingSteps steps;
    steps.name = "backward passes";
    steps.why_none = std::move(why_no_steps);
    steps.are_passes = true;
    for (const BackwardRun& run : runs) {
        steps.begins.push_back(steps.end);
        steps.end = run.end;
    }
    return steps;
}

StepTable step_table(const TensorLives& tensors, const TrainingKinds& kinds,
                     const TrainingSteps& steps, uint32_t space) {
    StepTable table;
    if (steps.count() < steps_min) return table;
    for (const size_t step : std::set<size_t>{0, 1, steps.count() / 2, steps.count() - 1}) {
        table.rows.push_back(row_of(tensors, kinds, steps, space, step));
    }
    const StepRow& second = table.rows[1];
    const StepRow& middle = table.rows[table.rows.size() - 2];
    const StepRow& last = table.rows.back();
    for (size_t kind = 0; kind < last.at_end.size(); ++kind) {
        if (last.at_end[kind] < second.at_end[kind] + grown_min) continue;
        // What grew once and then stayed does not grow between steps.
        if (middle.step != second.step && (middle.at_end[kind] <= second.at_end[kind] ||
                                           last.at_end[kind] <= middle.at_end[kind])) {
            continue;
        }
        const uint64_t bytes = last.at_end[kind] - second.at_end[kind];
        table.grown.push_back(
            {static_cast<TrainingKind>(kind), bytes, bytes / (last.step - second.step)});
    }
    return table;
}

}  // namespace memtrace::analyzer
