// SPDX-License-Identifier: Apache-2.0
//
// How many modules of a class a model has: "Attention, 12 layers". A line of Attention.__init__
// that is in no loop makes a tensor once for each Attention, wherever that is made:
//
//   12 tensors ◄ Linear.__init__ ◄ Attention.__init__:9 ◄ Block.__init__:20 ◄ GPT.__init__:31
//   (loop)
//              12 Attentions ─────┘      12 Blocks ──────┘    │
//                                                   no GPT, because line 31 goes round
//
// Another line, with a dropout or a bias that not every layer has, makes fewer: the most counts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/kinds/site_facts.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/model/tensor_lives.h"
#include "analyzer/training/training_modules.h"

namespace memtrace::analyzer {

// True if the frame's line may run several times in one call of its function: it is in a loop, or
// nobody knows.
using MayRepeat = std::function<bool(const Frame&)>;

// Returns the number of each of TrainingModules::classes() at a moment; 0: it is not known.
// `space_of`: index in the model of each of TensorLives::spaces.
std::vector<uint64_t> count_layers(const Model& model, const Symbols& symbols,
                                   const TensorLives& tensors, const std::vector<size_t>& space_of,
                                   const TrainingSites& sites, const TrainingModules& modules,
                                   uint64_t time_ns, const MayRepeat& may_repeat);

}  // namespace memtrace::analyzer
