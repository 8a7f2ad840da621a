// SPDX-License-Identifier: Apache-2.0
//
// Recognises the first function of a thread without its name, by the file that contains it. A stack
// is complete if its outermost frame is in such a function. start_functions.h has their names.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

// Recognises the program's entry point, and code that has no caller by its unwind information. The
// C library marks _start and clone in that way.
class ThreadRootFinder {
public:
    explicit ThreadRootFinder(const ElfFile& image);
    ~ThreadRootFinder();
    ThreadRootFinder(const ThreadRootFinder&) = delete;
    ThreadRootFinder& operator=(const ThreadRootFinder&) = delete;

    bool is_start(uint64_t address) const;

private:
    uint64_t entry_;
    Dwarf_CFI* unwind_;  // unwind information; null: none
};

}  // namespace memtrace::analyzer
