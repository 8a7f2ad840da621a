// SPDX-License-Identifier: Apache-2.0
//
// A bar on standard error for work that takes longer than a second. It is shown only if standard
// error is a terminal.
#pragma once

#include <chrono>
#include <string>

#include "analyzer/base/progress.h"

namespace memtrace::analyzer {

class ProgressBar {
public:
    ProgressBar();
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // Begins a new step. Its Progress must not outlive the bar.
    Progress step(const std::string& name);
    void clear();  // must be called before anything else is printed

private:
    using Clock = std::chrono::steady_clock;

    void show(uint64_t done, uint64_t total);

    bool watched_;
    std::string name_;
    Clock::time_point start_;
    Clock::time_point shown_;
    bool visible_ = false;
};

// Returns a line of at most `width` columns: "reading  [=====     ]  52 %  3 s left".
std::string progress_line(const std::string& name, double part, double seconds, size_t width);

}  // namespace memtrace::analyzer
