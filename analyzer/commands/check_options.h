// SPDX-License-Identifier: Apache-2.0
//
// The options that `check` and `baseline` share, and how they and the configuration file become
// limits and suppressions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analyzer/check/limit.h"
#include "analyzer/check/metric.h"
#include "analyzer/check/suppression_file.h"
#include "analyzer/commands/option_list.h"
#include "analyzer/frames/user_code.h"

namespace memtrace::analyzer {

// Options as they were typed.
struct TypedLimits {
    std::array<std::vector<std::string>, metrics.size()> of_spaces;  // by Metric
    std::vector<std::string> of_sites;
    std::vector<std::string> of_new_sites;
    bool no_default_suppressions = false;
};

struct CheckOptions {
    TypedLimits typed;
    std::vector<Limit> limits;
    std::string config;  // empty: memtrace.toml, if this folder has one
    std::string baseline;
    bool update_baseline = false;
    std::vector<std::string> suppressions;  // paths of files
    bool default_suppressions = true;
    std::string junit;  // path, as in the next two; "-" is standard output
    std::string sarif;
    std::string markdown;
    std::string html;     // path; with several dumps, of the page of the first one
    bool github = false;  // prints annotations and adds to the summary of the job
    std::string root;     // folder of the project; empty: folder of the configuration
    std::string output;   // file that `baseline` writes
    CodePatterns code;    // from the configuration
};

inline constexpr const char* default_baseline = "memtrace-baseline.json";

// Adds the options that both commands have.
void add_project_options(OptionList& options, CheckOptions& check);

// Adds --max-METRIC, --max-site and --max-new-site.
void add_limit_options(OptionList& options, TypedLimits& typed);

// Turns typed options into values and adds the configuration. Throws Error if they make no sense.
void read_check_options(CheckOptions& check);

// Adds the settings of the configuration that the command line does not override.
void add_config(CheckOptions& options);

// True if a limit is on how fast something grows. Such a check needs histories.
bool asks_for_growth(const CheckOptions& options);

// Reads the suppressions of all files, and the default ones unless they are off.
std::vector<Suppression> all_suppressions(const CheckOptions& options);

// Adds those that the program of the recording brings itself. They are for a search's verdicts.
std::vector<Suppression> with_program_suppressions(std::vector<Suppression> suppressions,
                                                   const Model& model);

}  // namespace memtrace::analyzer
