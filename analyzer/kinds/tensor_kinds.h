// SPDX-License-Identifier: Apache-2.0
//
// What each tensor of a training is, told from its stack and its life. docs/use/training.md has the
// rules in words. What no rule fits is unknown.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/kinds/site_facts.h"
#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

enum class TrainingKind : uint8_t {
#define MEMTRACE_TRAINING_KIND(word, name, what) word,
#include "analyzer/kinds/training_kinds.def"
    count,
};

struct KindName {
    std::string_view word;  // for programs
    std::string_view name;  // for people
    std::string_view what;
};
KindName name_of(TrainingKind kind);

// Returns the kind of each life. `space_of`: index in the model of each of TensorLives::spaces.
std::vector<TrainingKind> tensor_kinds(const TensorLives& tensors, const TrainingSites& sites,
                                       const std::vector<size_t>& space_of);

}  // namespace memtrace::analyzer
