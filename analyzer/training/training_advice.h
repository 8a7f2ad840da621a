// SPDX-License-Identifier: Apache-2.0
//
// What a person who trains could change, only where the dump shows it: with the figure, the line,
// and where PyTorch's documentation has more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/gpu_model.h"
#include "analyzer/model/tensor_lives.h"
#include "analyzer/training/training_table.h"

namespace memtrace::analyzer {

struct TrainingAdvice {
    std::string_view rule;  // its word in training_advice.def
    std::string_view link;
    uint64_t bytes = 0;
    std::optional<uint32_t> row;  // the line, as a row of SiteRows
    // The sentence, in which the line follows `before` and is followed by `after`.
    std::string before;
    std::string after;
};

// All that is told about a training.
struct TrainingReport {
    TensorLives tensors;
    TrainingTable table;
    std::vector<TrainingAdvice> advice;
};

// Returns the sentence, with the line in at most `room` columns.
std::string sentence_of(const TrainingAdvice& advice, const SiteRows& rows, size_t room);

// Returns what fits, the most bytes first.
std::vector<TrainingAdvice> training_advice(const TensorLives& tensors, const TrainingKinds& kinds,
                                            const TrainingSites& sites, const TrainingTable& table,
                                            const SiteRows& rows, const GpuInfo& gpu);

}  // namespace memtrace::analyzer
