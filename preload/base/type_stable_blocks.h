// SPDX-License-Identifier: Apache-2.0
//
// Type-stable blocks: memory that is reused but never returned to the kernel. A thread that still
// reads a block after it changed owners reads other data there, but does not fault. Lock-free.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::preload {

inline constexpr size_t type_stable_block_bytes_max = size_t{64} << 20;

// Returns at least `bytes` bytes of any content, followed by a few readable bytes. Returns nullptr
// if there is no memory or `bytes` is too large.
uint8_t* take_type_stable_block(size_t bytes);

// `bytes` must be the number that was taken.
void give_back_type_stable_block(uint8_t* block, size_t bytes);

}  // namespace memtrace::preload
