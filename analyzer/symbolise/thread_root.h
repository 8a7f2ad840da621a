// SPDX-License-Identifier: Apache-2.0
//
// Finds the first function of a thread without names, in the file of its code. A stack is complete
// if its outermost frame is in one. start_functions.h knows these functions by name.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

// Knows the program's entry point, or code whose unwind information says that it has no
// caller (which is how the C library marks _start and clone).
class ThreadRootFinder {
public:
    explicit ThreadRootFinder(const ElfFile& image);
    ~ThreadRootFinder();
    ThreadRootFinder(const ThreadRootFinder&) = delete;
    ThreadRootFinder& operator=(const ThreadRootFinder&) = delete;

    bool is_start(uint64_t address) const;

private:
    uint64_t entry_;
    Dwarf_CFI* unwind_;  // null: the file has none
};

}  // namespace memtrace::analyzer
