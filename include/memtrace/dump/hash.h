// SPDX-License-Identifier: Apache-2.0
//
// The only checksum of the dump: XXH64 with seed 0.
#pragma once

#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace memtrace {

inline uint64_t hash_bytes(const void* bytes, size_t size) { return XXH64(bytes, size, 0); }

}  // namespace memtrace
