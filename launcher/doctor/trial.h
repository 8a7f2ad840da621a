// SPDX-License-Identifier: Apache-2.0
//
// A trial: a small program runs under the shim, and its dump is read. So the recorder itself
// answers what it records here, and no table of the doctor's can differ from it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launcher/doctor/captured.h"

namespace memtrace::launcher {

struct Trial {
    Captured program;
    nlohmann::json dump;  // as `memtrace-report info --json` has it; null: there is no dump
    uint64_t allocations = 0;

    bool is_recorded() const { return !dump.is_null(); }
    // Returns what the shim has said on standard error, in one line, without its name.
    std::string said() const;
};

// Records the program at the path command[0]. Its dump is made in `folder`, as a recording's would
// be, and removed afterwards. `changes` are further variables of it.
Trial record_trial(const std::vector<std::string>& command, const std::string& folder,
                   const std::string& shim, Changes changes = {});

// Returns a finding about the first of all trials: whether anything is recorded here.
// `program` is the name of its program.
struct Finding finding_of(const Trial& trial, const std::string& program,
                          const std::string& folder);

}  // namespace memtrace::launcher
