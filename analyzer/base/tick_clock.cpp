// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/tick_clock.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

// Least distance of anchors for a slope. Closer anchors measure the time that reading a clock takes
// rather than the length of a tick.
constexpr uint64_t slope_ns_min = 1'000'000;

double difference(uint64_t a, uint64_t b) {
    return a >= b ? static_cast<double>(a - b) : -static_cast<double>(b - a);
}

}  // namespace

// The first one and the last one stay.
void TickClock::thin_out() {
    size_t kept = 0;
    for (size_t i = 0; i < anchors_.size(); ++i) {
        if (i % 2 == 0 || i + 1 == anchors_.size()) anchors_[kept++] = anchors_[i];
    }
    anchors_.resize(kept);
}

void TickClock::settle() {
    const auto earlier = [](const Clock& a, const Clock& b) { return a.time < b.time; };
    std::stable_sort(anchors_.begin(), anchors_.end(), earlier);
    // Lines can join only anchors that move forward on both clocks.
    std::vector<Clock> usable;
    for (const Clock& anchor : anchors_) {
        const bool forward = usable.empty() || (anchor.time > usable.back().time &&
                                                anchor.monotonic_ns > usable.back().monotonic_ns);
        if (forward) usable.push_back(anchor);
    }
    anchors_ = std::move(usable);
    if (ticks_per_second_ != 0) ns_per_tick_ = 1e9 / static_cast<double>(ticks_per_second_);
    if (anchors_.empty()) return;
    const Clock& first = anchors_.front();
    const Clock& last = anchors_.back();
    const uint64_t elapsed = last.monotonic_ns - first.monotonic_ns;
    if (elapsed >= slope_ns_min || (ticks_per_second_ == 0 && elapsed > 0)) {
        ns_per_tick_ = static_cast<double>(elapsed) / static_cast<double>(last.time - first.time);
    }
    start_ns_ = -static_cast<double>(first.time) * ns_per_tick_;
}

// Returns CLOCK_MONOTONIC relative to the first anchor.
double TickClock::monotonic_ns(uint64_t ticks) const {
    if (anchors_.empty()) return static_cast<double>(ticks) * ns_per_tick_;
    const auto later = [](uint64_t time, const Clock& anchor) { return time < anchor.time; };
    const auto next = std::upper_bound(anchors_.begin(), anchors_.end(), ticks, later);
    const Clock& first = anchors_.front();
    const Clock& before = next == anchors_.begin() ? first : *(next - 1);
    double slope = ns_per_tick_;
    if (next != anchors_.begin() && next != anchors_.end()) {
        slope = difference(next->monotonic_ns, before.monotonic_ns) /
                difference(next->time, before.time);
    }
    return difference(before.monotonic_ns, first.monotonic_ns) +
           difference(ticks, before.time) * slope;
}

uint64_t TickClock::ns(uint64_t ticks) const {
    const double result = monotonic_ns(ticks) - start_ns_;
    if (!(result > 0)) return 0;
    return result < 1.8e19 ? static_cast<uint64_t>(result + 0.5) : ~uint64_t{0};
}

// ns() never decreases: anchors move forward on both clocks.
uint64_t TickClock::first_tick_at(uint64_t time_ns) const {
    uint64_t before = 0, after = uint64_t{1} << 63;  // The tick is at `before` or later.
    while (before < after) {
        const uint64_t middle = before + (after - before) / 2;
        if (ns(middle) >= time_ns) after = middle;
        else before = middle + 1;
    }
    return before;
}

uint64_t TickClock::start_realtime_ns() const {
    if (anchors_.empty() || anchors_.front().realtime_ns == 0) return 0;
    const uint64_t before = ns(anchors_.front().time);
    const uint64_t then = anchors_.front().realtime_ns;
    return then > before ? then - before : 0;
}

}  // namespace memtrace::analyzer
