// SPDX-License-Identifier: Apache-2.0
//
// The command `baseline`. It writes the figures of one or more recordings to a file, which `check`
// compares with.
#pragma once

#include <string>
#include <vector>

#include "analyzer/check/measurements.h"
#include "analyzer/check/suppression_file.h"
#include "analyzer/commands/check_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

class BaselineMaker {
public:
    explicit BaselineMaker(CheckOptions options);

    // Returns why no baseline can be made of the recording: it is damaged or incomplete, or nothing
    // of it passes the filters. Then nothing will be written. Empty: it counts.
    std::string add(const Recording& recording);
    // Writes the baseline. Returns a sentence about it, or the baseline if it goes to standard
    // output.
    std::string finish();

private:
    CheckOptions options_;
    std::vector<Suppression> suppressions_;
    std::vector<Measurements> runs_;
    bool is_refused_ = false;
};

}  // namespace memtrace::analyzer
