// SPDX-License-Identifier: Apache-2.0
//
// gpu=crosscheck: the hooks of the driver write the records, and CUPTI's callbacks are only
// counted. At the end the dump says whether both saw the same calls with the same answers.
#pragma once

#include <cstdint>

#include "memtrace/dump/names.h"

namespace memtrace::preload {

// One call that succeeded, and a number made of what it gave or took. The order of calls does not
// matter.
void count_in_crosscheck(GpuBackend seen_by, Api api, uint64_t answer);

// For `answer`: of numbers that both sides know.
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
