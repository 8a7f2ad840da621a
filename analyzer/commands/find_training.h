// SPDX-License-Identifier: Apache-2.0
//
// What the memory of a training is for, found by further passes over its dump: for `training`, and
// for the page.
#pragma once

#include "analyzer/charts/site_rows.h"
#include "analyzer/commands/request.h"
#include "analyzer/sites/recording.h"
#include "analyzer/training/training_advice.h"

namespace memtrace::analyzer {

// The sites of the recording must have numbers (Space::numbers). Returns no spaces if no tensor of
// PyTorch was recorded.
TrainingReport find_training(const Recording& recording, const SiteRows& rows,
                             const Request& request);

// The same for arrays of JAX and TensorFlow.
TrainingReport find_array_training(const Recording& recording, const SiteRows& rows,
                                   const Request& request);

}  // namespace memtrace::analyzer
