// SPDX-License-Identifier: Apache-2.0
//
// Where the run is cut, so that sites can keep a history (site_history.h): a first look at the
// events of a dump, before they are replayed.
//
//   * Where the program marks its steps, a slice is a step, or as many as it takes for there not to
//     be too many slices. What lies before the first step is a slice of its own.
//   * Else a slice is a share of the run: one half of its time and one half of its events, so that
//     neither hours without work nor a busy start leave the rest without slices.
//
//   time    ├───────────────┤ idle ├─────────┤
//   events  ▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂         ▂▂▂▂▂▂▂▂
//   slices  ├──┼──┼─┼┼─┼──┼───┼─────┼──┼──┼──┤   to the end of the work
//
// What only releases at the end of the work says nothing of what was held while it went on: a
// program may free by hand, before main() returns, what it collected for hours. The last slice ends
// before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/site_history.h"
#include "analyzer/reader/event.h"
#include "analyzer/replay/work_end.h"

namespace memtrace::analyzer {

struct SliceOptions {
    std::string step;  // the mark that begins or ends a step; empty: found
    unsigned slices_max = 120;
};

struct SlicePlan {
    struct Slice {
        uint64_t end = 0;  // ticks; the next one begins there
        uint64_t steps = 0;
        uint64_t events = 0;
    };
    std::vector<Slice> slices;
    std::string step;
    bool is_trimmed = false;
};

RunSlices in_nanoseconds(const SlicePlan& plan, const TickClock& clock);

class RunScan {
public:
    RunScan() : buckets_(bucket_count) {}

    // The next event of the stream.
    void take(const Event& event);

    // Throws Error if the mark that was asked for does not occur.
    SlicePlan plan(const SliceOptions& options) const;

private:
    // A moment, and how many events there had been.
    struct Place {
        uint64_t time;
        uint64_t events;
    };
    struct Marks {
        std::vector<Place> begins;  // or marks
        Place last_end{0, 0};
        bool is_program = false;  // not an annotation for a profiler
    };
    static constexpr size_t bucket_count = 4096;

    void count(uint64_t time, bool takes);
    void on(const Mark& record);
    void on(const auto& record);
    uint64_t until() const;
    const std::pair<const std::string, Marks>* find_steps(const SliceOptions& options) const;
    void cut_by_steps(SlicePlan& plan, const Marks& marks, const SliceOptions& options) const;
    void cut_by_time(SlicePlan& plan, const SliceOptions& options) const;

    std::map<std::string, Marks> marks_;  // by text, with # for each number
    std::vector<uint64_t> buckets_;       // events, by time
    uint64_t bucket_ticks_ = 1;
    uint64_t first_ = 0;
    uint64_t last_ = 0;
    uint64_t events_ = 0;
    // Since when there have been releases, and hardly anything else.
    Place releases_since_{0, 0};
    uint64_t releases_ = 0;
    uint64_t acquisitions_ = 0;
    WorkEndChoice work_end_;
    Place end_{0, 0};  // of the work
    bool is_trimmed_ = false;
};

// "step 12" -> "step #"
std::string without_numbers(std::string_view text);

}  // namespace memtrace::analyzer
