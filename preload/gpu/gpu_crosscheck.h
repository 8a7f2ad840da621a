// SPDX-License-Identifier: Apache-2.0
//
// The comparison for gpu=crosscheck. The hooks of the driver write the records, and CUPTI's
// callbacks are only counted. At the end the dump reports whether both saw the same calls with the
// same answers.
#pragma once

#include <cstdint>

#include "memtrace/dump/names.h"

namespace memtrace::preload {

// Counts one call that succeeded. `answer` is a number derived from what the call allocated or
// released. The order of calls does not matter.
void count_in_crosscheck(GpuBackend seen_by, Api api, uint64_t answer);

// Returns an `answer` made of numbers that both sides see.
template <class... Numbers>
uint64_t mixed(Numbers... numbers) {
    uint64_t mix = 0x9e3779b97f4a7c15;
    ((mix = (mix ^ static_cast<uint64_t>(numbers)) * 0xbf58476d1ce4e5b9, mix ^= mix >> 31), ...);
    return mix;
}

// Writes the Notes "gpu crosscheck", if anything was counted.
void note_crosscheck();

void forget_crosscheck();

}  // namespace memtrace::preload
