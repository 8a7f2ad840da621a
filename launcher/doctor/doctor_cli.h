// SPDX-License-Identifier: Apache-2.0
//
// The command line of `memtrace doctor`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "launcher/doctor/doctor.h"

namespace CLI {
class App;
}

namespace memtrace::launcher {

// Adds the options of `memtrace doctor`.
void declare_doctor(CLI::App& app, DoctorRequest& request);

// Parses the words after `doctor`. Returns an exit code if there is nothing to examine. In that
// case help or a sentence about the misuse has been printed.
std::variant<DoctorRequest, int> parse_doctor(const std::vector<std::string>& words);

}  // namespace memtrace::launcher
