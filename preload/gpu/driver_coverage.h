// SPDX-License-Identifier: Apache-2.0
//
// What the hooks of the driver do not follow: said in the dump once, as a Note "gpu coverage".
#pragma once

#include <string_view>

namespace memtrace::preload::cuda {

void note_gpu_gap(std::string_view sentence);

// A program asks for this function of the driver, which is there. If it seems to give memory, it
// should have a row in cuda_entries.def; `version` is that of cuGetProcAddress(), or 0.
void note_uncovered(std::string_view name, int version);

}  // namespace memtrace::preload::cuda
