// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/find_training.h"

#include <utility>

#include "analyzer/arrays/array_kinds.h"
#include "analyzer/replay/load.h"
#include "analyzer/steps/load_steps.h"
#include "analyzer/steps/step_times.h"

namespace memtrace::analyzer {

namespace {

std::shared_ptr<const StepsOfDump> loops_of(const Recording& recording, const Request& request) {
    if (*request.loops != nullptr) return *request.loops;
    return std::make_shared<StepsOfDump>(
        load_steps(recording.path, request.slices.step, recording.code, request.symbols));
}

TrainingSteps rounds_of(const Recording& recording, const LoopTurns& turns) {
    TrainingSteps steps;
    StepTimes times = load_step_times(recording.path, turns);
    steps.name = turns.name;
    steps.begins = std::move(times.begins);
    steps.end = times.end;
    return steps;
}

// Marks of the program are steps if it makes them; else a loop of it is.
TrainingSteps find_steps(const Recording& recording, const TensorLives& tensors,
                         const Request& request) {
    const std::shared_ptr<const StepsOfDump> loops = loops_of(recording, request);
    const StepsOfDump& found = *loops;
    if (found.has_marks) {
        TrainingSteps steps = marked_steps(tensors);
        if (steps.count() > 0) return steps;
    }
    const std::optional<size_t> loop = training_loop(found.loops.found, tensors.runs);
    if (loop) return rounds_of(recording, found.loops.turns[*loop]);
    const std::optional<size_t> part = loop_of_part(found.loops.found, tensors.runs);
    if (!part) {
        return passes_as_steps(tensors.runs,
                               "no loop was found that goes backward in most of its rounds");
    }
    TrainingSteps steps = rounds_of(recording, found.loops.turns[*part]);
    steps.are_part = true;
    return steps;
}

// The rounds of the loop that growth takes for the program's steps.
TrainingSteps find_array_steps(const Recording& recording, const Request& request) {
    const std::shared_ptr<const StepsOfDump> loops = loops_of(recording, request);
    const SourceLoops& found = loops->loops.found;
    if (found.steps) return rounds_of(recording, loops->loops.turns[*found.steps]);
    TrainingSteps none;
    none.why_none = found.why_none;
    return none;
}

}  // namespace

// The stacks tell which sites make tensors. A second pass follows these.
TrainingReport find_training(const Recording& recording, const SiteRows& rows,
                             const Request& request) {
    TrainingReport found;
    const TrainingSites sites(recording.model, recording.symbols);
    if (!sites.has_tensors()) return found;
    LoadOptions options;
    options.tensors = sites.request(recording.model);
    found.tensors = *load_dump(recording.path, {}, options).watch->tensors;
    TrainingSteps steps = find_steps(recording, found.tensors, request);
    const TrainingKinds kinds = training_kinds(recording.model, sites, found.tensors, steps);
    found.table = training_table(recording, found.tensors, kinds, sites, rows, std::move(steps),
                                 request.blocks_at);
    found.advice =
        training_advice(found.tensors, kinds, sites, found.table, rows, recording.model.gpu);
    return found;
}

TrainingReport find_array_training(const Recording& recording, const SiteRows& rows,
                                   const Request& request) {
    TrainingReport found;
    const ArraySites sites(recording.model, recording.symbols);
    if (sites.has_arrays()) {
        LoadOptions options;
        options.tensors = sites.request(recording.model);
        found.tensors = *load_dump(recording.path, {}, options).watch->tensors;
        TrainingSteps steps = array_steps(found.tensors, find_array_steps(recording, request));
        TrainingKinds kinds{spaces_of(recording.model, found.tensors), {}, {}};
        kinds.of_lives =
            array_kinds(found.tensors, sites, kinds.space_of, array_period(found.tensors, steps));
        found.table = training_table(recording, found.tensors, kinds, {}, rows, std::move(steps),
                                     request.blocks_at);
    }
    found.table.is_of_arrays = sites.has_arrays() || sites.arena_bytes() != 0;
    found.table.arena_bytes = sites.arena_bytes();
    return found;
}

}  // namespace memtrace::analyzer
