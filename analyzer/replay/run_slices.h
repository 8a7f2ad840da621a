// SPDX-License-Identifier: Apache-2.0
//
// Decides where the run is cut into slices, for the histories of sites (site_history.h). This is a
// first pass over the events of a dump, before the replay.
//
//   * If the program marks its steps, a slice is one step, or several if there would be too many
//     slices. The time before the first step is a slice of its own.
//   * Otherwise a slice is a share of the run, by half of its time and half of its events. So
//     neither hours without work nor a busy start leave the rest without slices.
//
//   time    ├───────────────┤ idle ├─────────┤
//   events  ▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂         ▂▂▂▂▂▂▂▂
//   slices  ├──┼──┼─┼┼─┼──┼───┼─────┼──┼──┼──┤   to the end of the work
//
// A final stretch of mere releases tells nothing about the memory held during the work. For
// example, a program may free by hand, before main() returns, the data that it collected for
// hours. The last slice ends before such a stretch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/site_history.h"
#include "analyzer/reader/event.h"
#include "analyzer/replay/work_end.h"

namespace memtrace::analyzer {

struct SliceOptions {
    std::string step;  // the mark that begins or ends a step; empty: found automatically
    unsigned slices_max = 120;
};

struct SlicePlan {
    struct Slice {
        uint64_t end = 0;  // in ticks; the next slice begins there
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

    // Consumes the next event of the stream.
    void take(const Event& event);

    // Throws Error if the requested mark does not occur.
    SlicePlan plan(const SliceOptions& options) const;

private:
    // A moment, and the number of events before it.
    struct Place {
        uint64_t time;
        uint64_t events;
    };
    struct Marks {
        std::vector<Place> begins;  // times of begins or marks
        Place last_end{0, 0};
        // True if the program made the mark, and not an annotation for a profiler.
        bool is_program = false;
    };
    static constexpr size_t bucket_count = 4096;

    void count(uint64_t time, bool takes);
    void on(const Mark& record);
    void on(const auto& record);
    uint64_t until() const;
    const std::pair<const std::string, Marks>* find_steps(const SliceOptions& options) const;
    void cut_by_steps(SlicePlan& plan, const Marks& marks, const SliceOptions& options) const;
    void cut_by_time(SlicePlan& plan, const SliceOptions& options) const;

    std::map<std::string, Marks> marks_;  // by text, with # in place of each number
    std::vector<uint64_t> buckets_;       // number of events, by time
    uint64_t bucket_ticks_ = 1;
    uint64_t first_ = 0;
    uint64_t last_ = 0;
    uint64_t events_ = 0;
    // The beginning of the current stretch in which nearly all events are releases.
    Place releases_since_{0, 0};
    uint64_t releases_ = 0;
    uint64_t acquisitions_ = 0;
    WorkEndChoice work_end_;
    Place end_{0, 0};  // end of the work
    bool is_trimmed_ = false;
};

// Fewer steps are too few to judge by.
inline constexpr size_t steps_min = 10;

// Returns how well the marks of a name suit as the steps of the program. The greatest value suits
// best.
std::tuple<bool, bool, size_t> step_worth(const std::string& name, bool is_program, size_t count);

// Replaces each number by "#": "step 12" becomes "step #".
std::string without_numbers(std::string_view text);

}  // namespace memtrace::analyzer
