// SPDX-License-Identifier: Apache-2.0
//
// The command `check`: recordings are held against limits one by one, and the results go to all
// requested outputs.
#pragma once

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

class Checks {
public:
    // Throws Error where a file that is named cannot be read or used.
    explicit Checks(CheckOptions options);

    // `load_phase` is asked for each phase that has limits of its own.
    CheckResult check(const Recording& recording, const LoadPhase& load_phase);

    // A dump that could not be read, or not be held against the limits. No output is without it, or
    // a build would look as if nobody had meant to check it.
    void add_unread(const std::string& path, const std::string& why);

    // Writes all outputs, and the baseline if that was asked for and all dumps could be read;
    // returns what goes to standard output behind the text.
    std::string finish();

private:
    std::string update_baseline() const;
    std::vector<LimitResult> check_phases(const LoadPhase& load_phase) const;

    CheckOptions options_;
    std::optional<Baseline> baseline_;
    std::vector<Suppression> suppressions_;
    std::vector<CheckedDump> dumps_;
};

}  // namespace memtrace::analyzer
