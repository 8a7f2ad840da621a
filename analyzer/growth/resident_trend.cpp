// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/resident_trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analyzer/base/units.h"
#include "analyzer/growth/growth_curve.h"

namespace memtrace::analyzer {
namespace {

constexpr double seconds_per_hour = 3600;
constexpr size_t bins = 24;  // of the work, equally long
constexpr size_t first_judged = bins / 2;
constexpr size_t judged_min = 5;  // bins of the judged half that must have a sample
// Before this the program loads and imports, and what it needs for that may be more than ever
// after.
constexpr size_t first_compared = bins / 4;
constexpr uint64_t work_min_ns = 400'000'000;
// A rise by less is a trifle: the kernel's count itself errs by some pages of each CPU.
constexpr double rise_min_bytes = 256 << 10;
constexpr double rise_min_part = 0.005;  // of the resident set

// memtrace's own part of the resident set, at any time: between two measurements it has grown
// evenly, and before the first and after the last one it is as it was then.
class OwnPart {
public:
    explicit OwnPart(const std::vector<RssSample>& samples) {
        for (const RssSample& sample : samples) {
            if (sample.own != 0) measured_.push_back(&sample);
        }
    }
    bool is_known() const { return !measured_.empty(); }
    // Times must not fall from call to call.
    uint64_t at(uint64_t time_ns) {
        while (next_ < measured_.size() && measured_[next_]->time_ns <= time_ns) ++next_;
        if (next_ == 0) return measured_.front()->own;
        const RssSample& before = *measured_[next_ - 1];
        if (next_ == measured_.size()) return before.own;
        const RssSample& after = *measured_[next_];
        const double part = static_cast<double>(time_ns - before.time_ns) /
                            static_cast<double>(after.time_ns - before.time_ns);
        const double own = static_cast<double>(before.own);
        return static_cast<uint64_t>(own + part * (static_cast<double>(after.own) - own));
    }

private:
    std::vector<const RssSample*> measured_;
    size_t next_ = 0;
};

// The lowest resident set of each bin: a step that takes memory and gives it back leaves no trace
// in it. A bin without a sample is left out.
struct Floors {
    Values at;  // seconds
    Values bytes;
    size_t before = 0;  // number of those before the judged half
};

Floors floors_of(const std::vector<RssSample>& work, uint64_t begin_ns, uint64_t until_ns) {
    std::array<const RssSample*, bins> lowest{};
    for (const RssSample& sample : work) {
        const uint64_t bin = (sample.time_ns - begin_ns) * bins / (until_ns - begin_ns + 1);
        const RssSample*& low = lowest[bin];
        if (low == nullptr || sample.rss < low->rss) low = &sample;
    }
    Floors floors;
    for (size_t bin = first_compared; bin < bins; ++bin) {
        if (lowest[bin] == nullptr) continue;
        floors.before += bin < first_judged;
        floors.at.push_back(static_cast<double>(lowest[bin]->time_ns) / 1e9);
        floors.bytes.push_back(static_cast<double>(lowest[bin]->rss));
    }
    return floors;
}

}  // namespace

ResidentTrend resident_trend(const Model& model) {
    ResidentTrend trend;
    std::vector<RssSample> work;
    for (const RssSample& sample : model.samples) {
        const bool is_after =
            model.process.work_end_ns && sample.time_ns > *model.process.work_end_ns;
        if (!is_after && sample.rss != 0) work.push_back(sample);
    }
    if (work.empty()) {
        trend.not_known = "the dump has no samples of the resident set";
        return trend;
    }
    trend.at_start = work.front().rss;
    trend.now = work.back().rss;
    trend.until_ns = work.back().time_ns;
    if (OwnPart own(model.samples); own.is_known()) {
        trend.own_at_start = own.at(work.front().time_ns);
        for (RssSample& sample : work) {
            trend.own_now = own.at(sample.time_ns);
            sample.rss -= std::min(sample.rss, *trend.own_now);
        }
    }
    // A library that is called for the first time is read into memory and makes its tables.
    const uint64_t begin_ns =
        std::max(work.front().time_ns, std::min(model.process.last_library_ns, trend.until_ns));
    std::erase_if(work, [&](const RssSample& sample) { return sample.time_ns < begin_ns; });
    const uint64_t whole = trend.until_ns - begin_ns;
    trend.since_ns = trend.until_ns - whole / 2;
    const Floors floors = floors_of(work, begin_ns, trend.until_ns);
    const size_t end = floors.at.size();
    if (end - floors.before < judged_min || whole < work_min_ns) {
        trend.not_known = fmt::format(
            "the resident set was sampled {} in {} of work{}: too few to tell a rise from chance",
            counted(work.size(), "time"), human_time(whole),
            model.process.last_library_ns != 0 ? " after the last library was first called" : "");
        return trend;
    }
    const Slope slope = slope_of(floors.at, floors.bytes, floors.before, end);
    trend.bytes_per_hour = slope.value * seconds_per_hour;
    trend.low = slope.low * seconds_per_hour;
    trend.high = slope.high * seconds_per_hour;
    // What comes and goes in long waves rises for a while, too, but to no new height.
    const double rise = slope.value * (floors.at.back() - floors.at[floors.before]);
    const double before = *std::max_element(floors.bytes.begin(), floors.bytes.end() - 1);
    trend.rises = slope.low > 0 && floors.bytes.back() >= before &&
                  rise > std::max(rise_min_bytes, rise_min_part * static_cast<double>(trend.now));
    return trend;
}

std::string own_part_text(const ResidentTrend& trend) {
    if (trend.until_ns == 0) return "";
    if (!trend.own_now) return "memtrace's own pages are in it: this dump does not have them apart";
    const uint64_t before = *trend.own_at_start, now = *trend.own_now;
    const char* const way = now >= before ? "more" : "less";
    return fmt::format("memtrace's own pages are not in it: {}, {} {} than at the start",
                       human_bytes(now), human_bytes(std::max(now, before) - std::min(now, before)),
                       way);
}

}  // namespace memtrace::analyzer
