// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/find_training.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/arrays/array_kinds.h"
#include "analyzer/replay/load.h"
#include "analyzer/steps/load_steps.h"
#include "analyzer/steps/source_files.h"
#include "analyzer/steps/step_times.h"

namespace memtrace::analyzer {

namespace {

std::shared_ptr<const StepsOfDump> loops_of(const Recording& recording, const Request& request) {
    if (*request.loops != nullptr) return *request.loops;
    return std::make_shared<StepsOfDump>(load_steps(recording.path, request.slices.step,
                                                    recording.code, request.symbols, {},
                                                    request.nodes.get()));
}

// When the rounds of loops began. Each loop takes a pass over the dump. Of the loop that is
// probably asked for, a pass that is made anyway tells it.
class Rounds {
public:
    Rounds(const Recording& recording, std::shared_ptr<const StepsOfDump> steps)
        : recording_(recording), steps_(std::move(steps)), likely_(steps_->step_times) {}

    // Lets a pass note the rounds of the loop that is probably asked for, if there is one.
    void note_in(LoadOptions& options) {
        const std::optional<size_t>& loop = steps_->loops.found.steps;
        if (!loop || steps_->has_marks || likely_ != nullptr) return;
        options.times_of = {steps_, &steps_->loops.turns[*loop]};
        options.step_times = likely_ = std::make_shared<StepTimes>();
    }

    TrainingSteps of(size_t loop) const {
        const bool is_known = likely_ != nullptr && loop == steps_->loops.found.steps;
        const LoopTurns& turns = steps_->loops.turns[loop];
        StepTimes times = is_known ? *likely_ : load_step_times(recording_.path, turns);
        TrainingSteps steps;
        steps.name = turns.name;
        steps.begins = std::move(times.begins);
        steps.end = times.end;
        return steps;
    }

private:
    const Recording& recording_;
    const std::shared_ptr<const StepsOfDump> steps_;
    std::shared_ptr<StepTimes> likely_;  // of the loop that counts for growth; null: not known
};

// A second pass follows the tensors that the sites of the first one are about.
TensorLives follow(const Recording& recording, const Request& request, TensorRequest tensors,
                   Rounds& rounds) {
    LoadOptions options;
    options.tensors = std::move(tensors);
    // Sites must have the numbers that the first pass gave them, so stacks must be joined at the
    // same moments: both passes know all nodes from the beginning, or both read their definitions.
    if (*request.loops != nullptr) options.nodes = request.nodes;
    rounds.note_in(options);
    return *load_dump(recording.path, {}, options).watch->tensors;
}

std::shared_ptr<SourceFiles> sources_of(const Recording& recording) {
    return std::make_shared<SourceFiles>(
        recording.model.process.start_realtime_ns,
        std::filesystem::path(recording.path).parent_path().string(), recording.model.stacks.codes);
}

// Returns the loops in which the program calls a backward pass. Nothing: no stack of a pass tells,
// because all passes run in threads of their own.
std::set<LoopPlace> loops_of_passes(const Recording& recording, const TrainingSites& sites) {
    const auto files = sources_of(recording);
    std::set<LoopPlace> places;
    std::vector<bool> seen(recording.symbols.frames.size());
    const auto add = [&](FrameId id) {
        const Frame& frame = recording.symbols.frames[id];
        if (seen[id] || frame.kind != FrameKind::python) return;
        seen[id] = true;
        const SourceTree& tree = files->of(frame).tree;
        const std::optional<BlockId> statement = tree.at(frame.line);
        if (!statement) return;
        tree.for_each_level(*statement, [&](BlockId level) {
            if (tree[level].kind == BlockKind::loop) places.emplace(frame.file, tree[level].line);
            return true;
        });
    };
    std::vector<bool> walked(recording.symbols.nodes.size());
    for (size_t s = 0; s < recording.model.spaces.size(); ++s) {
        const Space& space = recording.model.spaces[s];
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            if (!sites.of(s, space.numbers[i]).is_in_backward) continue;
            for (uint32_t node = space.sites.stack(i); recording.symbols.has(node) && !walked[node];
                 node = recording.symbols.nodes.parent(node)) {
                walked[node] = true;
                for (const FrameId id : recording.symbols.frames_of(node)) add(id);
            }
        }
    }
    return places;
}

// Marks of the program are steps if it makes them; else a loop of it is.
TrainingSteps find_steps(const TensorLives& tensors, const StepsOfDump& found,
                         const std::set<LoopPlace>& places, Rounds& rounds) {
    if (found.has_marks) {
        TrainingSteps steps = marked_steps(tensors);
        if (steps.count() > 0) return steps;
    }
    const SourceLoops loops =
        places.empty() ? found.loops.found : loops_at(found.loops.found, places);
    const std::optional<size_t> loop = training_loop(loops, tensors.runs);
    if (loop) return rounds.of(*loop);
    const std::optional<size_t> part = loop_of_part(loops, tensors.runs);
    if (!part) {
        return passes_as_steps(tensors.runs,
                               "no loop was found that goes backward in most of its rounds");
    }
    TrainingSteps steps = rounds.of(*part);
    steps.are_part = true;
    return steps;
}

// The rounds of the loop that growth takes for the program's steps.
TrainingSteps find_array_steps(const SourceLoops& found, Rounds& rounds) {
    if (found.steps) return rounds.of(*found.steps);
    TrainingSteps none;
    none.why_none = found.why_none;
    return none;
}

// The source tells whether a line is in a loop. Of a sample no one can count.
MayRepeat repeated_lines(const Recording& recording) {
    const Space* host = find_space(recording.model, "host");
    if (host != nullptr && host->is_estimate) return {};
    const auto files = sources_of(recording);
    return [files](const Frame& frame) {
        const ParsedSource& source = files->of(frame);
        const std::optional<BlockId> statement = source.tree.at(frame.line);
        return !source.why_not.empty() || !statement || source.tree[*statement].has_loop ||
               source.tree.loop_of(*statement).has_value();
    };
}

}  // namespace

// The stacks tell which sites make tensors.
TrainingReport find_training(const Recording& recording, const SiteRows& rows,
                             const Request& request) {
    TrainingReport found;
    const TrainingSites sites(recording.model, recording.symbols);
    if (!sites.has_tensors()) return found;
    const std::shared_ptr<const StepsOfDump> loops = loops_of(recording, request);
    Rounds rounds(recording, loops);
    found.tensors = follow(recording, request, sites.request(recording.model), rounds);
    TrainingSteps steps =
        find_steps(found.tensors, *loops, loops_of_passes(recording, sites), rounds);
    const TrainingKinds kinds = training_kinds(recording.model, sites, found.tensors, steps);
    found.table = training_table(recording, found.tensors, kinds, sites, rows, std::move(steps),
                                 request.blocks_at, repeated_lines(recording));
    found.advice =
        training_advice(found.tensors, kinds, sites, found.table, rows, recording.model.gpu);
    return found;
}

TrainingReport find_array_training(const Recording& recording, const SiteRows& rows,
                                   const Request& request) {
    TrainingReport found;
    const ArraySites sites(recording.model, recording.symbols);
    if (sites.has_arrays()) {
        const std::shared_ptr<const StepsOfDump> loops = loops_of(recording, request);
        Rounds rounds(recording, loops);
        found.tensors = follow(recording, request, sites.request(recording.model), rounds);
        TrainingSteps steps =
            array_steps(found.tensors, find_array_steps(loops->loops.found, rounds));
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
