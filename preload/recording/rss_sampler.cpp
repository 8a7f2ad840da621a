// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/rss_sampler.h"

#include <algorithm>

#include "preload/base/clock.h"
#include "preload/base/fixed_text.h"
#include "preload/base/hot_data.h"
#include "preload/base/options.h"
#include "preload/base/sys.h"
#include "preload/host/own_pages.h"
#include "preload/host/proc_number.h"
#include "preload/python/python_codes.h"
#include "preload/recording/host_look.h"
#include "preload/recording/recording_switch.h"
#include "preload/recording/thread_lane.h"
#include "preload/stack/stack_table.h"
#include "preload/unwind/rule_cache.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA uint64_t next_sample_time = ~uint64_t{0};

namespace {

constexpr uint64_t looks_a_second = 20;  // at what somebody asked

SampleObserver observer;
uint64_t interval;       // ticks; 0: there are no samples
uint64_t sample_time;    // ticks: when the next sample is due
uint64_t next_pss_time;  // ticks

// A sample makes a few system calls, which find none of their data in the near caches, and takes
// some ten microseconds. It may take one part in this many of the time. It is not delayed for
// longer than intervals_max intervals, because it may have been the scheduler that took the time.
constexpr uint64_t sample_share = 1000;
constexpr uint64_t intervals_max = 10;

// For the proportional set size the kernel walks over all pages, which takes milliseconds in a
// large process. It may take one part in this many of the time.
constexpr uint64_t pss_share = 2000;

uint64_t due_after(uint64_t now) {
    return std::min(__atomic_load_n(&sample_time, __ATOMIC_RELAXED),
                    now + ticks.per_second / looks_a_second);
}

uint64_t read_pss() { return proc_number("/proc/self/smaps_rollup", "Pss:", 0) * 1024; }

// What is measured less often than the resident set; zeros at other times.
struct Walked {
    uint64_t pss = 0;
    uint64_t own = 0;
};

Walked walk_pages_if_due(uint64_t now) {
    if (now < next_pss_time) return {};
    const Walked walked{read_pss(), own_resident_bytes()};
    const uint64_t cost = ticks_now() - now;
    const uint64_t pause = cost * pss_share;
    next_pss_time = now + (pause > ticks.per_second ? pause : ticks.per_second);
    return walked;
}

// Writes what the walks of `of` did to the lane `lane`. Another thread may be walking meanwhile;
// then these are its counts of a moment ago.
void write_walks(Lane& lane, const ThreadLane& of) {
    const StackWalker::Counts& counts = of.walk_counts();
    const auto now = [](const uint64_t& count) {
        return __atomic_load_n(&count, __ATOMIC_RELAXED);
    };
    if (now(counts.walks) == 0) return;  // The first stack is walked.
    Walks record;
    record.time = lane.stamp(ticks_now());
    record.of_lane = of.number();
    record.walked = now(counts.stepped);
    record.verified = now(counts.verified);
    record.recognised = now(of.recognised_stacks());
    record.splices = now(counts.splices) + record.recognised;
    record.mismatches = now(counts.mismatches);
    record.bridged = now(counts.full_steps);
    record.guessed = now(counts.guessed);
    lane.put_long(record);
}

void write_python_walks(Lane& lane, const ThreadLane& of) {
    const PythonWalker::Counts& counts = of.python_counts();
    const auto now = [&counts](PythonStackStatus status) {
        return __atomic_load_n(&counts.of_status[static_cast<unsigned>(status)], __ATOMIC_RELAXED);
    };
    PythonWalks record;
    record.time = lane.stamp(ticks_now());
    record.of_lane = of.number();
    record.stacks = now(PythonStackStatus::ok) + now(PythonStackStatus::truncated) +
                    now(PythonStackStatus::unsure);
    record.empty = now(PythonStackStatus::empty);
    record.foreign = now(PythonStackStatus::no_thread_state);
    record.unread = now(PythonStackStatus::off) + now(PythonStackStatus::finalizing);
    record.frames = __atomic_load_n(&counts.frames, __ATOMIC_RELAXED);
    record.kept = __atomic_load_n(&counts.kept, __ATOMIC_RELAXED);
    if (record.stacks + record.empty + record.foreign + record.unread != 0) lane.put_long(record);
}

void write_tables(Lane& lane) {
    ShimTables record;
    record.stacks = stack_table_bytes();
    record.rules = rule_cache_bytes();
    record.python = python_codes_bytes();
    ThreadLane::for_each([&](const ThreadLane& each) {
        const uint64_t bytes = each.stack_bytes();
        record.threads += bytes;
        if (bytes > record.thread_max) record.thread_max = bytes;
    });
    record.time = lane.stamp(ticks_now());
    lane.put_long(record);
}

// Returns the resident set.
uint64_t write_sample(ThreadLane& lane, const Walked& walked) {
    Sample sample;
    sample.rss = resident_bytes();
    sample.pss = walked.pss;
    sample.own = walked.own;
    sample.time = lane.stamp(ticks_now());
    lane.put_long(sample);
    Clock clock = clock_record();
    clock.time = lane.stamp(clock.time);
    lane.put_long(clock);
    write_walks(lane, lane);
    write_python_walks(lane, lane);
    if (walked.pss != 0) write_tables(lane);
    return sample.rss;
}

}  // namespace

void start_sampling() {
    start_host_looks();
    interval = ticks.per_second / 1000 * options.sample_ms;
    next_pss_time = ticks.per_second;
    sample_time = interval == 0 ? ~uint64_t{0} : ticks_now() + interval;
    next_sample_time = due_after(ticks_now());
}

void take_sample(ThreadLane& lane, uint64_t now) {
    uint64_t due = __atomic_load_n(&next_sample_time, __ATOMIC_RELAXED);
    const uint64_t look = now + ticks.per_second / looks_a_second;
    if (now < due || !__atomic_compare_exchange_n(&next_sample_time, &due, look, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return;  // Another thread takes this one.
    }
    if (fall_asleep_if_asked(lane)) return;
    if (observer != nullptr) observer(lane, now);
    if (now < __atomic_load_n(&sample_time, __ATOMIC_RELAXED)) {
        __atomic_store_n(&next_sample_time, due_after(now), __ATOMIC_RELAXED);
        return;
    }
    const uint64_t rss = write_sample(lane, walk_pages_if_due(now));
    const uint64_t pause =
        std::clamp((ticks_now() - now) * sample_share, interval, interval * intervals_max);
    __atomic_store_n(&sample_time, now + pause, __ATOMIC_RELAXED);
    __atomic_store_n(&next_sample_time, due_after(now), __ATOMIC_RELAXED);
    look_at_host_if_due(lane, rss, now);
}

void set_sample_observer(SampleObserver fresh) { observer = fresh; }

void take_last_sample(ThreadLane& lane) {
    write_sample(lane, {0, own_resident_bytes()});
    write_tables(lane);
    ThreadLane::for_each([&](const ThreadLane& other) {
        if (&other == &lane) return;
        write_walks(lane, other);
        write_python_walks(lane, other);
    });
}

}  // namespace memtrace::preload
