// SPDX-License-Identifier: Apache-2.0
//
// How much of the resident set is the shim's: pages of its own mappings (own_memory.h) and of its
// library. The resident set of a program that is recorded grows with them, and a reader wants to
// know what of a growth is the program's.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Returns the bytes, or 0 if the kernel does not say. Pages that a fork has left to both processes
// are not in it: nothing tells them from the kernel's page of zeros.
uint64_t own_resident_bytes();

}  // namespace memtrace::preload
