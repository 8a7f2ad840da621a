// SPDX-License-Identifier: Apache-2.0
//
// What the arrays of JAX and TensorFlow are, told from their sizes and lives. A step is one
// compiled program there: what only a step holds is of one kind, and what is kept from step to step
// is told apart only as far as stacks say who made it first.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/arrays/array_sites.h"
#include "analyzer/kinds/tensor_kinds.h"
#include "analyzer/model/tensor_lives.h"
#include "analyzer/training/training_steps.h"

namespace memtrace::analyzer {

// When all that is kept is there, and until when it is. Nanoseconds from the recording's start.
struct ArrayPeriod {
    uint64_t from = 0;  // The second step begins.
    uint64_t to = 0;    // The last step begins.
    uint64_t end = 0;   // It ends. What follows may take the model apart.
    // Without steps: when each quarter of what is made from `from` to `to` begins to be made.
    std::vector<uint64_t> quarters{};
};

// Returns the kind of each life. `space_of`: index in the model of each of TensorLives::spaces.
std::vector<TrainingKind> array_kinds(const TensorLives& arrays, const ArraySites& sites,
                                      const std::vector<size_t>& space_of,
                                      const ArrayPeriod& period);

// Returns these steps, or none if they are not those of the training: there must be three, and
// arrays of half of all bytes must have been made in them.
TrainingSteps array_steps(const TensorLives& arrays, TrainingSteps steps);

// Returns the period of these steps, without the first one. Without steps: from the moment when
// half of all bytes of arrays had been made to that of three quarters.
ArrayPeriod array_period(const TensorLives& arrays, const TrainingSteps& steps);

}  // namespace memtrace::analyzer
