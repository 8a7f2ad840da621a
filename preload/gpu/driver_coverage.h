// SPDX-License-Identifier: Apache-2.0
//
// Reports what the hooks of the driver do not follow, once each, as a Note "gpu coverage" in the
// dump.
#pragma once

#include <string_view>

namespace memtrace::preload::cuda {

void note_gpu_gap(std::string_view sentence);

// Called when a program looks up this function of the driver, which exists. A function that seems
// to allocate memory should have a row in cuda_entries.def. `version` is the version passed to
// cuGetProcAddress(), or 0.
void note_uncovered(std::string_view name, int version);

}  // namespace memtrace::preload::cuda
