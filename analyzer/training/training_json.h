// SPDX-License-Identifier: Apache-2.0
//
// What is told about a training, for programs and for the page.
#pragma once

#include <string>

#include "analyzer/base/json_text.h"
#include "analyzer/charts/site_rows.h"
#include "analyzer/training/training_advice.h"

namespace memtrace::analyzer {

// Returns members of a JSON object, without its brackets: "training", "advice" and "moments".
std::string training_json(const TrainingReport& training, const SiteRows& rows);

// Returns the same figures for the page (web/src/training.ts), with the largest lines of each kind
// and what people read. Null if the program does not train.
Json training_page_json(const TrainingReport& training, const SiteRows& rows);

}  // namespace memtrace::analyzer
