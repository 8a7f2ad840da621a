// SPDX-License-Identifier: Apache-2.0
//
// Everything of memtrace that reads what a stranger may have written, as functions that take one
// input. A target returns for any input. It throws nothing, and what it finds is a crash, a hang,
// or memory without bounds. libFuzzer drives them (fuzzer.cpp), and replay.cpp without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace memtrace::test {

// Changes some of [data, data + size) and returns the new size, at most size_max.
using ChangeBytes = std::function<size_t(uint8_t* data, size_t size, size_t size_max)>;

// Changes an input by `change`, which knows nothing of its form. The same seed does the same.
using Mutator = size_t(uint8_t* data, size_t size, size_t size_max, unsigned seed,
                       const ChangeBytes& change);

inline size_t plain_mutator(uint8_t* data, size_t size, size_t size_max, unsigned,
                            const ChangeBytes& change) {
    return change(data, size, size_max);
}

Mutator mutate_dump;
Mutator mutate_past;
Mutator mutate_profile;

#define MEMTRACE_FUZZ_TARGET(name, mutator) void run_##name(const uint8_t* data, size_t size);
#include "tests/fuzz/targets.def"

}  // namespace memtrace::test
