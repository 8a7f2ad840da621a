// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

namespace {

constexpr auto patience = std::chrono::seconds(1);      // shorter work shows nothing
constexpr auto pause = std::chrono::milliseconds(100);  // between two updates

}  // namespace

ProgressBar::ProgressBar() : watched_(is_terminal(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() { clear(); }

Progress ProgressBar::step(const std::string& name) {
    clear();
    if (!watched_) return {};
    name_ = name;
    start_ = Clock::now();
    shown_ = start_ + patience - pause;
    return [this](uint64_t done, uint64_t total) { show(done, total); };
}

void ProgressBar::show(uint64_t done, uint64_t total) {
    const Clock::time_point now = Clock::now();
    if (total == 0 || now - shown_ < pause) return;
    shown_ = now;
    visible_ = true;
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const size_t width = std::min<size_t>(terminal_width(STDERR_FILENO), 80) - 1;
    fmt::print(stderr, "\r{}", progress_line(name_, part, seconds, width));
    std::fflush(stderr);
}

void ProgressBar::clear() {
    if (visible_) fmt::print(stderr, "\r\033[K");
    visible_ = false;
}

std::string progress_line(const std::string& name, double part, double seconds, size_t width) {
    const double left = part > 0 ? seconds / part - seconds : 0;
    const auto ns = static_cast<uint64_t>(left * 1e9);
    const std::string rest = part > 0 ? (left < 1 ? "<1 s" : human_time(ns)) + " left" : "";
    const std::string tail = fmt::format(" {:3.0f} %  {:<16}", part * 100, rest);
    const size_t used = display_width(name) + 4 + display_width(tail);
    const size_t room = width > used + 10 ? std::min<size_t>(width - used, 40) : 10;
    const auto full = static_cast<size_t>(part * static_cast<double>(room));
    std::string bar(room, ' ');
    std::fill_n(bar.begin(), std::min(full, room), '=');
    return cut_to_width(fmt::format("{}  [{}]{}", name, bar, tail), width);
}

}  // namespace memtrace::analyzer
