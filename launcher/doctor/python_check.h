// SPDX-License-Identifier: Apache-2.0
//
// The Pythons of this machine: their versions, whether their lines are recorded, and their PyTorch.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "launcher/doctor/finding.h"
#include "launcher/doctor/trial.h"

namespace memtrace::launcher {

struct Pythons {
    std::vector<std::string> paths;
    std::string problem;  // a clause if there is none
};

// Finds the interpreters to look at: the one that was asked for, or else those that `python3` and
// `python` mean in $PATH. A virtual environment that is active comes first there.
Pythons find_pythons(const std::string& asked);

// Looks at them. Two names of one interpreter are one finding. `folder` and `shim` are those of
// record_trial().
Findings check_pythons(const std::string& asked, const std::string& folder,
                       const std::string& shim);

// What a Python says about itself: {"executable", "version", "implementation", "torch": {"version",
// "cuda", "hip"} or null}.
Findings judge_python(const nlohmann::json& facts, const Trial& trial);

}  // namespace memtrace::launcher
