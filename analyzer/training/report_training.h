// SPDX-License-Identifier: Apache-2.0
//
// The report `training`: what the memory is for.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/training/training_advice.h"

namespace memtrace::analyzer {

void write_training(std::string& out, const Recording& recording, const TrainingReport& training,
                    const SiteRows& rows, const TextOptions& options);

}  // namespace memtrace::analyzer
