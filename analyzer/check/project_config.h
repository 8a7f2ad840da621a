// SPDX-License-Identifier: Apache-2.0
//
// memtrace.toml: the settings of `check` for a project, stored with its code.
//
//   baseline     = "memtrace-baseline.json"
//   suppressions = ["ci/leaks.supp"]
//
//   [limits]                     on the host
//   peak-bytes   = "+10%"
//   [limits.mmap]                on another space
//   leaked-bytes = "64M"
//   [sites]                      on each call site
//   leaked-bytes = "+10%+64K"
//   [new-sites]                  on each call site that the baseline does not list
//   leaked-bytes = "64K"
//   [phases.train.limits]        on a phase of the program
//   peak-bytes   = "2G"
//   [code]                       which code belongs to the project (user_code.h)
//   libraries    = ["third_party"]
//
// Paths are relative to the file's folder. The command line takes precedence over the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/check/limit.h"
#include "analyzer/frames/user_code.h"

namespace memtrace::analyzer {

struct ProjectConfig {
    std::string path;    // of the file
    std::string folder;  // of the file
    std::string baseline;
    std::vector<std::string> suppressions;
    std::optional<bool> default_suppressions;
    std::string junit;
    std::string html;
    std::string sarif;
    std::string markdown;
    std::optional<bool> github;
    std::vector<Limit> limits;
    CodePatterns code;
};

inline constexpr const char* config_name = "memtrace.toml";

// Throws Error with file and line for any text that makes no sense. For an unknown key the Error
// also names the nearest known key.
ProjectConfig parse_config(std::string_view text, const std::string& path);
ProjectConfig read_config(const std::string& path);

// Returns the one of `words` that `word` is probably a misspelling of, or an empty string.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace memtrace::analyzer
