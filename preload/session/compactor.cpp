// SPDX-License-Identifier: Apache-2.0
#include "preload/session/compactor.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "preload/base/clock.h"
#include "preload/base/fixed_text.h"
#include "preload/base/options.h"
#include "preload/helper/detached_helper.h"
#include "preload/host/machine_memory.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {
namespace {

constexpr const char* word = "compact-live";  // of memtrace-report
// Growth that is worth a compaction: this part of max_dump, and at least so many bytes.
constexpr uint64_t growth_part = 16, growth_min = uint64_t{256} << 10;
// A helper takes no more than this part of one processor.
constexpr uint64_t rest_share = 3;
constexpr uint64_t duration_max_s = 600;  // After that, the number of the process is another's.
constexpr uint64_t helper_bytes = uint64_t{256} << 20;  // of memory, that must be left

std::atomic<bool> is_busy;
std::atomic<long> helper;   // its process; 0: none
uint64_t began_at;          // ticks
uint64_t next_start;        // ticks
uint64_t used_after;        // bytes of the dump after the last compaction
bool has_said;

uint64_t growth_wanted() { return std::max(options.max_dump / growth_part, growth_min); }

// Says once in the dump why it is not compacted.
void say_why_not(ThreadLane& lane, const char* why) {
    if (std::exchange(has_said, true)) return;
    FixedText<400> text;
    text << "The dump is not compacted while it is written: " << why
         << ". When half of max_dump is used, the recording turns to a sample.";
    Note note;
    note.time = lane.stamp(ticks_now());
    note.subject = "compaction";
    note.text = text.view();
    lane.put_long(note);
}

const char* why_not() {
    if (!dump_file::is_mapped()) return "its newest events are in memory of the program";
    if (const char* const why = why_no_helper()) return why;
    if (memory_room() < helper_bytes) return "too little memory is left for a helper";
    return nullptr;
}

// Notices the end of the helper. Returns true if there is none.
bool has_ended(uint64_t now) {
    const long process = helper.load();
    if (process == 0) return true;
    const uint64_t duration = now - began_at;
    if (is_there(process) && duration < duration_max_s * ticks.per_second) return false;
    helper.store(0);
    used_after = dump_file::used_bytes();
    // What was not worth it is tried again when there is more.
    next_start = now + std::min(duration, ticks.per_second * 60) * rest_share;
    return true;
}

void start(ThreadLane& lane, uint64_t now) {
    if (const char* const why = why_not()) {
        next_start = now + ticks.per_second * 10;
        return say_why_not(lane, why);
    }
    FixedText<24> limit;
    limit << options.max_dump;
    const long process = start_detached_helper(word, dump_file::descriptor(), limit.c_str());
    began_at = ticks_now();
    if (process > 0) {
        helper.store(process);
    } else {
        next_start = now + ticks.per_second * 10;
        say_why_not(lane, "no process could be started");
    }
}

}  // namespace

void start_compactions() {
    is_busy.store(false);
    helper.store(0);
    next_start = 0;
    used_after = 0;
    has_said = false;
}

void go_on_with_compaction(ThreadLane& lane, uint64_t now) {
    if (options.max_dump == 0 || is_busy.exchange(true)) return;
    const bool is_due = has_ended(now) && now >= next_start &&
                        dump_file::used_bytes() >= used_after + growth_wanted();
    if (is_due) start(lane, now);
    is_busy.store(false);
}

bool is_being_compacted() { return helper.load() != 0; }

}  // namespace memtrace::preload
