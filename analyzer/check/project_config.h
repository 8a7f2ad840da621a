// SPDX-License-Identifier: Apache-2.0
//
// memtrace.toml: what `check` shall do in a project, kept beside its code.
//
//   baseline     = "memtrace-baseline.json"
//   suppressions = ["ci/leaks.supp"]
//
//   [limits]                     of the host
//   peak-bytes   = "+10%"
//   [limits.mmap]                of another space
//   leaked-bytes = "64M"
//   [sites]                      each call site
//   leaked-bytes = "+10%+64K"
//   [new-sites]                  each that the baseline does not have
//   leaked-bytes = "64K"
//   [phases.train.limits]        of a phase of the program
//   peak-bytes   = "2G"
//   [code]                       what is the project's own (user_code.h)
//   libraries    = ["third_party"]
//
// Paths are relative to the file's folder. What the command line says goes before it.
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
    std::string folder;  // that it lies in
    std::string baseline;
    std::vector<std::string> suppressions;
    std::optional<bool> default_suppressions;
    std::string junit;
    std::string sarif;
    std::string markdown;
    std::optional<bool> github;
    std::vector<Limit> limits;
    CodePatterns code;
};

inline constexpr const char* config_name = "memtrace.toml";

// Throws Error with file and line for whatever it does not understand; a key that nobody knows is
// named with the nearest one that there is.
ProjectConfig parse_config(std::string_view text, const std::string& path);
ProjectConfig read_config(const std::string& path);

// The one of `words` that `word` is a slip of the finger from, if there is one; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace memtrace::analyzer
