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

// Returns what fits, the most bytes first.
std::vector<TrainingAdvice> training_advice(const TensorLives& tensors, const TrainingKinds& kinds,
                                            const TrainingSites& sites, const TrainingTable& table,
                                            const SiteRows& rows);

}  // namespace memtrace::analyzer
