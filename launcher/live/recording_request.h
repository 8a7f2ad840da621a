// SPDX-License-Identifier: Apache-2.0
//
// Asks a program that runs to record, or not to, by a word in the header page of its dump
// (include/memtrace/dump/control.h). Only who may write to the dump can ask. The program obeys at
// its next allocation.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/live/control_page.h"

namespace memtrace::launcher {

class RecordingRequest {
public:
    // `name`: of the program, for sentences. Throws Error if this user cannot ask it.
    RecordingRequest(const std::string& dump, const std::string& name);

    // Throws Error if the program does so already.
    void ask(bool record);

    // True if the program has obeyed, or does so within this time.
    bool is_obeyed(uint64_t wait_ms) const;

private:
    std::string name_;
    ControlPage page_;
    uint32_t request_ = 0;
};

}  // namespace memtrace::launcher
