// SPDX-License-Identifier: Apache-2.0
//
// The samples of the resident set that a report lists. A program that runs for a week has sixty
// million; when there are too many, some go (thin_out.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"

namespace memtrace::analyzer {

inline constexpr size_t samples_kept = 32'768;

void add_sample(std::vector<RssSample>& samples, const RssSample& sample);

// Says how many of `taken` samples are listed, if that is not all of them.
void remark_on_samples(size_t listed, uint64_t taken, Problems& problems);

}  // namespace memtrace::analyzer
