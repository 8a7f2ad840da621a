// SPDX-License-Identifier: Apache-2.0
//
// A bar on standard error for work that takes longer than a second; nothing if nobody watches.
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

    // A new step; its Progress must not outlive the bar.
    Progress step(const std::string& name);
    void clear();  // before anything else is printed

private:
    using Clock = std::chrono::steady_clock;

    void show(uint64_t done, uint64_t total);

    bool watched_;
    std::string name_;
    Clock::time_point start_;
    Clock::time_point shown_;
    bool visible_ = false;
};

// "reading  [=====>    ]  52 %  3 s left": one line of `width` columns.
std::string progress_line(const std::string& name, double part, double seconds, size_t width);

}  // namespace memtrace::analyzer
