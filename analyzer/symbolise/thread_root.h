// SPDX-License-Identifier: Apache-2.0
//
// Is this the first function of a thread? A stack whose outermost frame is one is complete.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string_view>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

// By name: _start, main, clone, start_thread, ...
bool is_start_function(std::string_view name);

// Without names: the program's entry point, or code whose unwind information says that it has no
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
