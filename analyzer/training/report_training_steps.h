// SPDX-License-Identifier: Apache-2.0
//
// Parts of the report `training`: what a space holds from step to step, and for which modules; and
// sentences that the page has, too.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/report_parts.h"
#include "analyzer/training/training_table.h"

namespace memtrace::analyzer {

// "in the backward pass of step 12 of 150"; empty: steps are not known.
std::string step_of_peak(const TrainingSpace& space, const TrainingSteps& steps);

// The same, or which backward pass it was in or after where no steps are known. There must be one.
std::string part_of_peak(const TrainingSpace& space, const TrainingTable& table);

// What cannot be known of arrays of JAX and TensorFlow, in sentences. Empty: of tensors of PyTorch.
std::vector<std::string> limits_of_arrays(const TrainingTable& table);

void write_training_steps(std::string& out, const TrainingSpace& space, const TrainingSteps& steps,
                          const TextOptions& options);
void write_training_modules(std::string& out, const TrainingSpace& space,
                            const TrainingTable& table, const TextOptions& options);

}  // namespace memtrace::analyzer
