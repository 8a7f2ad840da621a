// SPDX-License-Identifier: Apache-2.0
//
// The report `training`: what the memory is for.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/report_parts.h"
#include "analyzer/training/training_advice.h"
#include "analyzer/training/training_table.h"

namespace memtrace::analyzer {

struct TrainingReport {
    TensorLives tensors;
    TrainingTable table;
    std::vector<TrainingAdvice> advice;
};

void write_training(std::string& out, const Recording& recording, const TrainingReport& training,
                    const SiteRows& rows, const TextOptions& options);

// Returns members of a JSON object, without its brackets.
std::string training_json(const TrainingReport& training, const SiteRows& rows);

}  // namespace memtrace::analyzer
