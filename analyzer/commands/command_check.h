// SPDX-License-Identifier: Apache-2.0
//
// The commands `check` and `baseline`: options and configuration become limits, recordings are held
// against them one by one, and what was found goes to all outputs that were asked for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/check/project_config.h"
#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

struct CheckOptions {
    std::vector<Limit> limits;
    std::string config;  // empty: memtrace.toml, if this folder has one
    std::string baseline;
    bool update_baseline = false;
    std::vector<std::string> suppressions;  // files
    bool default_suppressions = true;
    std::string junit;  // files; "-" is standard output
    std::string sarif;
    std::string markdown;
    bool github = false;  // annotations, and the summary of the job
    std::string root;     // of the project; empty: where the configuration is
    std::string output;   // of `baseline`
    GrowthOptions growth;
    CodePatterns code;  // of the configuration
};

// Whether a limit is on how fast something grows: then reports need histories.
bool asks_for_growth(const CheckOptions& options);

// The same recording, as if a phase of it were all.
using LoadPhase = std::function<Recording(const std::string& phase)>;

inline constexpr const char* default_baseline = "memtrace-baseline.json";

// Adds what the configuration says and the command line does not.
void add_config(CheckOptions& options);

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

// `baseline`: what several recordings have in common.
class BaselineMaker {
public:
    explicit BaselineMaker(CheckOptions options);

    // False for a recording that is damaged or incomplete: then nothing will be written.
    bool add(const Recording& recording);
    std::string finish();  // writes it, and returns what to say of it

private:
    CheckOptions options_;
    std::vector<Suppression> suppressions_;
    std::vector<Measurements> runs_;
    bool is_refused_ = false;
};

}  // namespace memtrace::analyzer
