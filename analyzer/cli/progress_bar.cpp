// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "analyzer/base/signal_cleanup.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

namespace {

constexpr auto patience = std::chrono::seconds(1);      // shorter work shows nothing
constexpr auto pause = std::chrono::milliseconds(100);  // between two updates
constexpr double seconds_before_estimate = 3;

ProgressBar::World real_world() {
    return {is_terminal(STDERR_FILENO), std::min<size_t>(terminal_width(STDERR_FILENO), 80) - 1,
            [] { return ProgressBar::Clock::now(); },
            [](const std::string& text) {
                std::fputs(text.c_str(), stderr);
                std::fflush(stderr);
            }};
}

}  // namespace

void TimeLeft::add(double seconds, double part) {
    samples_.push_back({seconds, part});
    while (samples_.size() > 2 && samples_[1].seconds <= seconds / 2) samples_.pop_front();
}

std::optional<double> TimeLeft::seconds() const {
    const Sample& first = samples_.front();
    const Sample& last = samples_.back();
    if (last.seconds < seconds_before_estimate || last.part <= first.part) return std::nullopt;
    return (1 - last.part) * (last.seconds - first.seconds) / (last.part - first.part);
}

ProgressBar::ProgressBar() : ProgressBar(real_world()) {}

ProgressBar::ProgressBar(World world) : world_(std::move(world)) {}

ProgressBar::~ProgressBar() { clear(); }

Progress ProgressBar::step(const std::string& name) {
    clear();
    if (!world_.is_terminal) return {};
    name_ = name;
    start_ = world_.now();
    shown_ = start_ + patience - pause;
    time_left_ = {};
    return [this](uint64_t done, uint64_t total) { show(done, total); };
}

void ProgressBar::show(uint64_t done, uint64_t total) {
    const Clock::time_point now = world_.now();
    if (total == 0 || now - shown_ < pause) return;
    shown_ = now;
    visible_ = true;
    set_progress_line(true);
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    time_left_.add(std::chrono::duration<double>(now - start_).count(), part);
    world_.print("\r" + progress_line(name_, part, time_left_.seconds(), world_.width));
}

void ProgressBar::clear() {
    if (visible_) world_.print("\r\033[K");
    visible_ = false;
    set_progress_line(false);
}

std::string progress_line(const std::string& name, double part, std::optional<double> seconds_left,
                          size_t width) {
    std::string rest;
    if (seconds_left) {
        const auto seconds = static_cast<uint64_t>(std::ceil(std::min(*seconds_left, 1e9)));
        rest = (*seconds_left < 1 ? "<1 s" : human_time(seconds * 1'000'000'000)) + " left";
    }
    const std::string tail = fmt::format(" {:3.0f} %  {:<16}", part * 100, rest);
    const size_t used = display_width(name) + 4 + display_width(tail);
    const size_t room = width > used + 10 ? std::min<size_t>(width - used, 40) : 10;
    const auto full = static_cast<size_t>(part * static_cast<double>(room));
    std::string bar(room, ' ');
    std::fill_n(bar.begin(), std::min(full, room), '=');
    return cut_to_width(fmt::format("{}  [{}]{}", name, bar, tail), width);
}

}  // namespace memtrace::analyzer
