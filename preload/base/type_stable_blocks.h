// SPDX-License-Identifier: Apache-2.0
//
// Blocks of memory that are used again but never given back to the kernel: who still reads one that
// has changed hands reads something else there, and does not fault. Lock-free.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::preload {

inline constexpr size_t type_stable_block_bytes_max = size_t{64} << 20;

// At least `bytes` bytes of any content, and a few behind them that may be read; nullptr if there
// is no memory or that is too many.
uint8_t* take_type_stable_block(size_t bytes);

// `bytes` as it was taken.
void give_back_type_stable_block(uint8_t* block, size_t bytes);

}  // namespace memtrace::preload
