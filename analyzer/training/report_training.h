// SPDX-License-Identifier: Apache-2.0
//
// The report `training`: what the memory is for.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/training/training_table.h"

namespace memtrace::analyzer {

void write_training(std::string& out, const Recording& recording, const TrainingTable& table,
                    const SiteRows& rows, const TextOptions& options);

// Returns a member of a JSON object, without its brackets.
std::string training_json(const TrainingTable& table, const TensorLives& tensors,
                          const SiteRows& rows);

}  // namespace memtrace::analyzer
