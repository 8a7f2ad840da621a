// SPDX-License-Identifier: Apache-2.0
//
// JSON parts that several reports share, so that a frame has the same form everywhere.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/base/json_text.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

Json frame_json(const Frame& frame);

// Adds "phase", "range" and "filters" to the document, if the model is limited by them.
void add_selection(Json& document, const Model& model);

// Returns those of a site's totals that can be added up.
// Of an estimated space, what is not known is null.
Json sums_json(const Totals& totals, bool is_estimate);

// Returns for figures of a sample the ranges, in bytes, in which the truth lies in 95 of 100 cases.
// `estimated`: how much of totals.allocated_bytes is an estimate; nothing: not known, so all of it.
Json ranges_json(const Space& space, const Totals& totals, std::optional<uint64_t> estimated);
// Those of the whole space.
Json ranges_json(const Space& space);

}  // namespace memtrace::analyzer
