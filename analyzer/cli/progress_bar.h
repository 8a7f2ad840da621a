// SPDX-License-Identifier: Apache-2.0
//
// A bar on standard error for work that takes longer than a second. It is shown only if standard
// error is a terminal. After a few seconds it also shows the time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "analyzer/base/progress.h"

namespace memtrace::analyzer {

// Estimates the time left from the speed since half of the time that has passed. Work often begins
// faster or slower than it goes on: a dump is checked before it is replayed.
//
//   0 s      4 s      8 s      12 s     now                            end
//   ├────────┼────────┼────────┼────────┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┤
//                     └── this speed ───┘
class TimeLeft {
public:
    // `seconds`: since the beginning; `part`: of the work that is done, from 0 to 1. Neither may
    // decrease.
    void add(double seconds, double part);

    // Returns the seconds left, or nothing if it is too early to tell or nothing moves.
    std::optional<double> seconds() const;

private:
    struct Sample {
        double seconds;
        double part;
    };
    std::deque<Sample> samples_{{0, 0}};  // the first is the last one before half of the time
};

class ProgressBar {
public:
    using Clock = std::chrono::steady_clock;

    // The world as the bar sees it. Tests have one of their own.
    struct World {
        bool is_terminal = false;
        size_t width = 80;
        std::function<Clock::time_point()> now;
        std::function<void(const std::string&)> print;
    };

    ProgressBar();
    explicit ProgressBar(World world);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // Begins a new step. Its Progress must not outlive the bar.
    Progress step(const std::string& name);
    void clear();  // must be called before anything else is printed

private:
    void show(uint64_t done, uint64_t total);

    World world_;
    std::string name_;
    Clock::time_point start_;
    Clock::time_point shown_;
    TimeLeft time_left_;
    bool visible_ = false;
};

// Returns a line of at most `width` columns: "reading  [=====     ]  52 %  1 min 20 s left".
std::string progress_line(const std::string& name, double part, std::optional<double> seconds_left,
                          size_t width);

}  // namespace memtrace::analyzer
