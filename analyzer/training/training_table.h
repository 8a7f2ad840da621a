// SPDX-License-Identifier: Apache-2.0
//
// What the memory of a training is for, at chosen moments: tensors by kind, and by the line of the
// user's code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/charts/site_rows.h"
#include "analyzer/kinds/tensor_kinds.h"
#include "analyzer/sites/recording.h"
#include "analyzer/training/training_layers.h"
#include "analyzer/training/training_modules.h"
#include "analyzer/training/training_steps.h"

namespace memtrace::analyzer {

struct KindSum {
    uint64_t bytes = 0;
    uint64_t blocks = 0;

    void add(uint64_t more) {
        bytes += more;
        blocks += 1;
    }
};

// A line of the user's code, as a row of SiteRows.
struct KindLine {
    uint32_t row = 0;
    KindSum sum;
    std::optional<uint32_t> module;  // index into TrainingModules::classes of its first tensor
};

struct KindRow {
    TrainingKind kind = TrainingKind::unknown;
    KindSum sum;
    std::vector<KindLine> lines;  // those with most bytes first
};

// The tensors of a module's class at the peak.
struct ModuleRow {
    uint32_t number = 0;  // index into TrainingModules::classes
    uint64_t layers = 0;  // count_layers()
    KindBytes bytes{};
    uint64_t all = 0;
    uint64_t output_bytes = 0;  // of what it computed last before another module went on

    // What checkpointing of each module would give back at the peak: all activations but those of
    // one module, which are computed once more, and the outputs of the others, which the next ones
    // begin with. 0: the number of modules is not known.
    uint64_t saved_by_checkpoints() const;
};

// A space at its peak.
struct TrainingSpace {
    std::string name;
    uint64_t peak_time_ns = 0;
    uint64_t peak_bytes = 0;     // of the whole space
    uint64_t tensor_bytes = 0;   // of these, in tensors
    std::vector<KindRow> kinds;  // in the order of TrainingKind; all that occur
    // The number of the backward pass that ran then or last, from 1; 0: none had begun.
    uint64_t run = 0;
    bool is_in_run = false;
    // The step of the peak, from 1; 0: it is in none, or no steps are known.
    uint64_t step = 0;
    // What the program did when it made the last tensor before the peak, and the line, as a row of
    // SiteRows.
    TrainingStage stage = TrainingStage::none;
    std::optional<uint32_t> row;
    std::vector<ModuleRow> modules;  // those with most bytes first
    StepTable steps;
};

// A tensor that is alive at a mark.
struct MomentBlock {
    uint32_t space = 0;  // index into TensorLives::spaces
    uint64_t address = 0;
    uint64_t bytes = 0;
    TrainingKind kind = TrainingKind::unknown;
};

struct TrainingMoment {
    std::string mark;
    uint64_t time_ns = 0;
    std::array<KindSum, static_cast<size_t>(TrainingKind::count)> kinds{};
    std::vector<MomentBlock> blocks;
};

struct TrainingTable {
    uint64_t runs = 0;          // of the backward pass
    bool is_of_arrays = false;  // of JAX or TensorFlow; there are no backward passes to see
    uint64_t arena_bytes = 0;   // ArraySites::arena_bytes()
    uint64_t left_out = 0;
    TrainingSteps steps;
    std::vector<ModuleClass> modules;
    bool has_module_names = true;  // False: there are modules, and their classes have no names.
    std::vector<TrainingSpace> spaces;  // those with tensors, and the one with most of them first
    std::vector<TrainingMoment> moments;
};

// Returns the index in the model of each space of the tensors.
std::vector<size_t> spaces_of(const Model& model, const TensorLives& tensors);

TrainingKinds training_kinds(const Model& model, const TrainingSites& sites,
                             const TensorLives& tensors, const TrainingSteps& steps);

// `blocks_at`: texts of marks at which all tensors are listed. Without `may_repeat`, layers are not
// counted.
TrainingTable training_table(const Recording& recording, const TensorLives& tensors,
                             const TrainingKinds& kinds, const TrainingSites& sites,
                             const SiteRows& rows, TrainingSteps steps,
                             const std::vector<std::string>& blocks_at,
                             const MayRepeat& may_repeat = {});

}  // namespace memtrace::analyzer
