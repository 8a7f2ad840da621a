// SPDX-License-Identifier: Apache-2.0
//
// The command `check`. It checks the limits of recordings one by one, and writes the results to all
// requested outputs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/check/baseline.h"
#include "analyzer/check/limit_check.h"
#include "analyzer/check/suppression_file.h"
#include "analyzer/ci/check_sentences.h"
#include "analyzer/commands/check_options.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

// Loads a phase of the current dump as if the phase were the whole recording.
using LoadPhase = std::function<Recording(const std::string& phase)>;

class Checks {
public:
    // Throws Error if a file that the options name cannot be read or used.
    explicit Checks(CheckOptions options);

    // Calls `load_phase` for each phase that has limits.
    CheckResult check(const Recording& recording, const LoadPhase& load_phase);

    // Adds a dump that could not be read or judged. All outputs mention it. Otherwise the build
    // would look as if the check of this dump had never been requested.
    void add_unread(const std::string& path, const std::string& why);

    // Writes all outputs, and also the baseline if that is requested and all dumps could be judged.
    // Returns the text that follows the reports on standard output.
    std::string finish();

private:
    std::string update_baseline() const;
    void check_phases(const Recording& whole, const LoadPhase& load_phase,
                      CheckResult& result) const;
    bool needs_sites(const Measurements& spaces) const;
    Measurements measure_for_limits(const Recording& recording, const Growth* growth,
                                    CheckResult& result) const;

    CheckOptions options_;
    std::optional<Baseline> baseline_;
    std::vector<Suppression> suppressions_;
    std::vector<CheckedDump> dumps_;
};

}  // namespace memtrace::analyzer
