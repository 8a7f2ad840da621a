// SPDX-License-Identifier: Apache-2.0
//
// The steps of a training, and what each kind of tensor holds at their ends.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/kinds/tensor_kinds.h"
#include "analyzer/model/source_loop.h"
#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

// Times in nanoseconds from the start of the recording.
struct TrainingSteps {
    std::string name;              // "train.py:40", or that of the marks
    std::vector<uint64_t> begins;  // empty: no steps are known
    uint64_t end = 0;              // of the last one
    std::string why_none;          // reason, if there are none
    // No steps are known, and backward passes stand for them: each ends with its pass.
    bool are_passes = false;
    // Backward passes go on before the first step, or behind the last one.
    bool are_part = false;

    size_t count() const { return begins.size(); }
    uint64_t end_of(size_t step) const { return step + 1 < begins.size() ? begins[step + 1] : end; }
    // Number of the step at this time, from 1; 0: it is in none.
    uint64_t number_at(uint64_t time) const;
};

// File and first line.
using LoopPlace = std::pair<std::string, uint32_t>;

// Returns the loops, without the numbers of iterations of those that are at none of these places. A
// loop that is run now and then for as long as the training lasts may have rounds like steps.
SourceLoops loops_at(SourceLoops loops, const std::set<LoopPlace>& places);

// Returns the loop whose iterations go backward, most of them at least: of all that last as long as
// the backward passes, the one that the optimiser learns in once an iteration, or else the one with
// most such iterations. One that goes round without a pass, to warm up, goes round less than twice
// as often as there are passes.
std::optional<size_t> training_loop(const SourceLoops& loops, const std::vector<BackwardRun>& runs);

// Returns the loop whose iterations go backward for a part of the training: a third of the passes
// at least. Of several, it is the one with most iterations.
std::optional<size_t> loop_of_part(const SourceLoops& loops, const std::vector<BackwardRun>& runs);

// Returns the steps that the marks of a name begin, if the program makes them often enough: at
// least three times, no more often than it goes backward, and until the last pass.
TrainingSteps marked_steps(const TensorLives& tensors);

// Returns the backward passes in the place of steps.
TrainingSteps passes_as_steps(const std::vector<BackwardRun>& runs, std::string why_no_steps);

using KindBytes = std::array<uint64_t, static_cast<size_t>(TrainingKind::count)>;

// What the tensors of a space do in a step.
struct StepRow {
    uint64_t step = 0;   // number, from 1
    KindBytes at_end{};  // held when it ends
    uint64_t most = 0;   // that all held at once
    uint64_t made = 0;   // bytes of tensors that the step made, and that it gave back
    uint64_t released = 0;
};

// What grows from the end of the second step to that of the last one.
struct KindGrowth {
    TrainingKind kind = TrainingKind::unknown;
    uint64_t bytes = 0;
    uint64_t each_step = 0;
};

struct StepTable {
    std::vector<StepRow> rows;  // the first, the second, the middle one and the last
    std::vector<KindGrowth> grown;
};

// `space`: index into TensorLives::spaces.
StepTable step_table(const TensorLives& tensors, const TrainingKinds& kinds,
                     const TrainingSteps& steps, uint32_t space);

}  // namespace memtrace::analyzer
