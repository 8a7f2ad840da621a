// SPDX-License-Identifier: Apache-2.0
//
// The header page of the dump of a program that runs, shared with the program: by its words
// (include/memtrace/dump/control.h) others ask for something, and the program answers.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/live/find_program.h"
#include "memtrace/dump/control.h"

namespace memtrace::launcher {

class ControlPage {
public:
    // `name`: of the program, for sentences. Throws Error if this user cannot ask it.
    ControlPage(const std::string& dump, const std::string& name);
    ~ControlPage();
    ControlPage(const ControlPage&) = delete;
    ControlPage& operator=(const ControlPage&) = delete;

    const FileHeader& header() const { return *static_cast<const FileHeader*>(page_); }
    Control& words() const;

private:
    void* page_;
};

// Returns the word as it is now.
template <uint32_t whole>
TwinNumber<whole> now(const TwinNumber<whole>& word) {
    return {__atomic_load_n(&word.word, __ATOMIC_ACQUIRE)};
}

// Returns "process 4711 (train)".
std::string name_of(const analyzer::RecordedProgram& program);

}  // namespace memtrace::launcher
