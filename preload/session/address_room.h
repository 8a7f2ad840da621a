// SPDX-License-Identifier: Apache-2.0
//
// The room for mappings that the limits of this process leave. Addresses that the shim takes are no
// longer the program's: under a tight limit a program would fail for want of what it gets bare.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// With less room than this, the shim's own addresses would be a considerable part: its tables, the
// heap for its calls of libc, and a ring for each thread.
inline constexpr uint64_t address_room_min = uint64_t{144} << 20;

// Returns the bytes that RLIMIT_AS and RLIMIT_DATA leave this process; UINT64_MAX if there is no
// limit.
uint64_t address_room();

// Returns the same, for a process of `used` bytes of addresses, `data` of them private and
// writable.
uint64_t address_room_of(uint64_t address_limit, uint64_t data_limit, uint64_t used, uint64_t data);

}  // namespace memtrace::preload
