// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "analyzer/commands/command.h"
#include "analyzer/steps/load_steps.h"
#include "analyzer/steps/step_times.h"
#include "analyzer/training/array_kinds.h"
#include "analyzer/training/report_training.h"

namespace memtrace::analyzer {

namespace {

void add_options(CLI::App& app, Request& request) {
    add_common_options(app, request);
    add_top_option(app, request, "Lines of each kind (3)");
    add_space_option(app, request);
    add_step_option(app, request);
    app.add_option("--blocks-at", request.blocks_at,
                   "JSON: list all tensors that are alive at this mark (repeatable)")
        ->type_name("MARK")
        ->allow_extra_args(false);
    add_refused_range_options(app, request);
}

void finish(Request& request) {
    refuse_range(request, "kinds are told from whole lives; leave the range out");
    read_text_options(request, {.top = 3});
}

// Sites get their numbers (Space::numbers) only if something is watched.
LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.watch.curves = true;
    return options;
}

// Marks of the program are steps if it makes them; else a loop of it is.
TrainingSteps find_steps(const Recording& recording, const TensorLives& tensors,
                         const Request& request) {
    StepsOfDump found =
        load_steps(recording.path, request.slices.step, recording.code, request.symbols);
    if (found.has_marks) {
        TrainingSteps steps = marked_steps(tensors);
        if (steps.count() > 0) return steps;
    }
    const std::optional<size_t> loop = training_loop(found.loops.found, tensors.runs);
    if (!loop) {
        return passes_as_steps(tensors.runs, "no loop was found that goes backward in each round");
    }
    TrainingSteps steps;
    const LoopTurns& turns = found.loops.turns[*loop];
    StepTimes times = load_step_times(recording.path, turns);
    steps.name = turns.name;
    steps.begins = std::move(times.begins);
    steps.end = times.end;
    return steps;
}

// The steps are the rounds of the loop that growth takes for the program's own.
TrainingSteps find_array_steps(const Recording& recording, const Request& request) {
    TrainingSteps steps;
    const StepsOfDump found =
        load_steps(recording.path, request.slices.step, recording.code, request.symbols);
    const std::optional<size_t> loop = found.loops.found.steps;
    if (!loop) {
        steps.why_none = found.loops.found.why_none;
        return steps;
    }
    const LoopTurns& turns = found.loops.turns[*loop];
    StepTimes times = load_step_times(recording.path, turns);
    steps.name = turns.name;
    steps.begins = std::move(times.begins);
    steps.end = times.end;
    return steps;
}

// The same for arrays of JAX and TensorFlow.
TrainingReport find_array_training(const Recording& recording, const SiteRows& rows,
                                   const Request& request) {
    TrainingReport found;
    const ArraySites sites(recording.model, recording.symbols);
    if (sites.has_arrays()) {
        LoadOptions options;
        options.tensors = sites.request(recording.model);
        found.tensors = *load_dump(recording.path, {}, options).watch->tensors;
        TrainingSteps steps = array_steps(found.tensors, find_array_steps(recording, request));
        TrainingKinds kinds{spaces_of(recording.model, found.tensors), {}};
        kinds.of_lives =
            array_kinds(found.tensors, sites, kinds.space_of, array_period(found.tensors, steps));
        found.table = training_table(recording, found.tensors, kinds, {}, rows, std::move(steps),
                                     request.blocks_at);
    }
    found.table.is_of_arrays = sites.has_arrays() || sites.arena_bytes() != 0;
    found.table.arena_bytes = sites.arena_bytes();
    return found;
}

// The stacks tell which sites make tensors. A second pass follows these.
TrainingReport find_training(const Recording& recording, const SiteRows& rows,
                             const Request& request) {
    TrainingReport found;
    const TrainingSites sites(recording.model, recording.symbols);
    if (!sites.has_tensors()) return find_array_training(recording, rows, request);
    LoadOptions options;
    options.tensors = sites.request(recording.model);
    found.tensors = *load_dump(recording.path, {}, options).watch->tensors;
    const TrainingKinds kinds = training_kinds(recording.model, sites, found.tensors);
    found.table = training_table(recording, found.tensors, kinds, sites, rows,
                                 find_steps(recording, found.tensors, request), request.blocks_at);
    found.advice = training_advice(found.tensors, kinds, sites, found.table, rows);
    return found;
}

DumpReport report(const Recording& recording, const Request& request) {
    const auto rows = std::make_shared<const SiteRows>(recording);
    const auto training =
        std::make_shared<const TrainingReport>(find_training(recording, *rows, request));
    return {.write_text = whole_text([&recording, &request, rows, training](std::string& out) {
                write_training(out, recording, *training, *rows, request.text);
            }),
            .json = [rows, training] { return training_json(*training, *rows); }};
}

}  // namespace

const Command command_training{
    .name = "training",
    .help = "What the memory of a training is for: parameters, gradients, activations, …",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .needs_events = true,
};

}  // namespace memtrace::analyzer
