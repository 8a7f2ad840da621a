// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the text files that the kernel makes.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Returns the number behind `key` ("Threads:\t3", "Pss:    120 kB"), which begins a line but the
// first. Returns `otherwise` if the file cannot be read or has no such line.
uint64_t proc_number(const char* path, const char* key, uint64_t otherwise);

// Returns the resident set of this process, or 0 if it cannot be read.
uint64_t resident_bytes();

}  // namespace memtrace::preload
