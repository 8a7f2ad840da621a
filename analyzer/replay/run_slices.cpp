// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/run_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "analyzer/base/error.h"

namespace memtrace::analyzer {
namespace {

// This many releases are the end of the work and not the end of one iteration.
constexpr uint64_t releases_min = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True for names that programs usually give to repeated work.
bool says_step(const std::string& text) {
    std::string lower;
    for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<uint8_t>(c)));
    for (const char* word : {"step", "iter", "batch", "request"}) {
        if (lower.find(word) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

std::tuple<bool, bool, size_t> step_worth(const std::string& name, bool is_program, size_t count) {
    return {says_step(name), is_program, count};
}

std::string without_numbers(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        if (!is_digit(text[i])) result += text[i];
        else if (i == 0 || !is_digit(text[i - 1])) result += '#';
    }
    return result;
}

RunSlices in_nanoseconds(const SlicePlan& plan, const TickClock& clock) {
    RunSlices result;
    result.step = plan.step;
    result.is_trimmed = plan.is_trimmed;
    for (const SlicePlan::Slice& slice : plan.slices) {
        result.slices.push_back({clock.ns(slice.end), slice.steps, slice.events});
        result.steps += slice.steps;
    }
    return result;
}

// ---- the scan -----------------------------------------------------------------------------------

void RunScan::count(uint64_t time, bool takes) {
    if (events_ == 0) first_ = time;
    events_ += 1;
    const uint64_t since = time > first_ ? time - first_ : 0;
    while (since / bucket_ticks_ >= bucket_count) {
        for (size_t i = 0; i < bucket_count / 2; ++i) {
            buckets_[i] = buckets_[2 * i] + buckets_[2 * i + 1];
        }
        std::fill(buckets_.begin() + bucket_count / 2, buckets_.end(), 0);
        bucket_ticks_ *= 2;
    }
    buckets_[since / bucket_ticks_] += 1;
    if (!takes) {
        releases_ += 1;
        return;
    }
    acquisitions_ += 1;
    const bool goes_on =
        releases_ > 2 * acquisitions_ && acquisitions_ <= releases_min + releases_ / 10;
    if (goes_on) return;
    releases_since_ = {time + 1, events_};
    releases_ = acquisitions_ = 0;
}

void RunScan::on(const Mark& record) {
    Marks& marks = marks_[without_numbers(record.text)];
    const Place place{record.time, events_};
    marks.is_program |= record.source == MarkSource::program;
    if (record.kind == MarkKind::end) marks.last_end = place;
    else marks.begins.push_back(place);
}

void RunScan::on(const auto& record) {
    using Record = std::decay_t<decltype(record)>;
    constexpr bool gives = std::is_same_v<Record, Release> || std::is_same_v<Record, Unmap> ||
                           std::is_same_v<Record, GpuRelease> || std::is_same_v<Record, GpuUnmap> ||
                           std::is_same_v<Record, TensorRelease>;
    if constexpr (takes_address<Record> || gives) count(record.time, takes_address<Record>);
    if constexpr (std::is_same_v<Record, Acquire> || std::is_same_v<Record, ResizeEnd>) {
        work_end_.count_acquisition();
    }
    if constexpr (std::is_same_v<Record, WorkEnd>) {
        if (!work_end_.take(record)) return;
        is_trimmed_ = releases_ >= releases_min && releases_ > 10 * acquisitions_;
        end_ = is_trimmed_ ? releases_since_ : Place{record.time, events_};
    }
}

void RunScan::take(const Event& event) {
    std::visit(
        [this](const auto& record) {
            last_ = std::max(last_, record.time);
            on(record);
        },
        event.record);
}

// ---- the plan -----------------------------------------------------------------------------------

uint64_t RunScan::until() const { return work_end_.time() ? end_.time : last_ + 1; }

const std::pair<const std::string, RunScan::Marks>* RunScan::find_steps(
    const SliceOptions& options) const {
    if (!options.step.empty()) {
        const auto found = marks_.find(without_numbers(options.step));
        if (found != marks_.end() && !found->second.begins.empty()) return &*found;
        std::string names;
        for (const auto& [name, marks] : marks_) names += (names.empty() ? "" : ", ") + name;
        throw Error(fmt::format("--step {}: the dump has no such mark; {}", options.step,
                                names.empty() ? "it has none at all" : "it has " + names));
    }
    const std::pair<const std::string, Marks>* best = nullptr;
    const auto worth = [](const auto& entry) {
        return step_worth(entry.first, entry.second.is_program, entry.second.begins.size());
    };
    for (const auto& entry : marks_) {
        if (entry.second.begins.size() < steps_min) continue;
        if (best == nullptr || worth(entry) > worth(*best)) best = &entry;
    }
    return best;
}

void RunScan::cut_by_steps(SlicePlan& plan, const Marks& marks, const SliceOptions& options) const {
    std::vector<Place> ends = marks.begins;
    if (marks.last_end.time > ends.back().time) ends.push_back(marks.last_end);
    const uint64_t limit = until();
    while (ends.size() > 1 && ends.back().time > limit) ends.pop_back();
    const size_t each = (ends.size() + options.slices_max - 2) / (options.slices_max - 1);
    uint64_t events = 0;
    size_t done = 0;
    for (size_t i = 0; i < ends.size();) {
        plan.slices.push_back({ends[i].time, i - done, ends[i].events - events});
        events = ends[i].events;
        done = i;
        i = i + 1 == ends.size() ? i + 1 : std::min(i + each, ends.size() - 1);
    }
}

void RunScan::cut_by_time(SlicePlan& plan, const SliceOptions& options) const {
    const uint64_t limit = until();
    if (events_ == 0 || limit <= first_) return;
    const auto ticks = static_cast<double>(limit - first_);
    const size_t buckets = std::min<size_t>((limit - first_ - 1) / bucket_ticks_ + 1, bucket_count);
    uint64_t all = 0;
    for (size_t i = 0; i < buckets; ++i) all += buckets_[i];
    uint64_t events = 0, cut = 0;
    for (size_t i = 0; i < buckets; ++i) {
        events += buckets_[i];
        const uint64_t end = std::min(first_ + (i + 1) * bucket_ticks_, limit);
        const double share = (static_cast<double>(end - first_) / ticks +
                              static_cast<double>(events) / static_cast<double>(all)) /
                             2;
        const auto due = static_cast<size_t>(share * options.slices_max + 1e-9);
        if (due <= plan.slices.size() && end != limit) continue;
        plan.slices.push_back({end, 0, events - cut});
        cut = events;
    }
}

SlicePlan RunScan::plan(const SliceOptions& options) const {
    SlicePlan plan;
    if (const auto* steps = find_steps(options)) {
        plan.step = steps->first;
        cut_by_steps(plan, steps->second, options);
    } else {
        cut_by_time(plan, options);
        plan.is_trimmed = is_trimmed_;
    }
    return plan;
}

}  // namespace memtrace::analyzer
