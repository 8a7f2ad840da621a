// SPDX-License-Identifier: Apache-2.0
#include "preload/session/compactor.h"

#include <linux/futex.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <utility>

#include "preload/base/clock.h"
#include "preload/base/fixed_text.h"
#include "preload/base/options.h"
#include "preload/helper/detached_helper.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/control_page.h"
#include "preload/writer/dump_file.h"
#include "preload/writer/dump_limit.h"
#include "preload/writer/sample_levels.h"

namespace memtrace::preload {
namespace {

constexpr const char* helper_word = "compact-beside";  // of memtrace-report
// Growth that is worth a compaction: this part of max_dump, and at least so many bytes. A dump that
// is large after a compaction costs more to compact, so it waits until it has doubled, or for two
// thirds of the room that is left. The rest is for what is written meanwhile.
constexpr uint64_t growth_part = 16, growth_min = uint64_t{256} << 10;
// Bytes that a helper which lives is about to give back: the recording turns to a sample that much
// later, at seven eighths of max_dump instead of at a half.
constexpr uint64_t coming(uint64_t max_dump) { return max_dump / 8 * 3; }
// While half of the room is left, the helper takes a quarter of one processor at most.
constexpr uint64_t rest_share = 3;
// A helper that somebody has killed is started again, after 1 second, 2, 4 and so on.
constexpr unsigned starts_max = 100, doublings_max = 6;

// The state of the one thread that has set is_busy.
std::atomic<bool> is_busy;
std::atomic<bool> has_helper;  // It was started.
uint32_t asked;                // compactions
bool is_waiting;               // for the newest of them
uint64_t asked_at;             // ticks
uint64_t rest_until;           // ticks; shorter if the dump becomes large
uint64_t not_before;           // ticks; of the next start of a helper
uint64_t used_after;           // bytes of the dump after the last compaction
unsigned starts;
bool should_live;        // It was started, and its end was not said.
bool was_seen_alive;     // since that start
unsigned deaths;         // of helpers
uint32_t failures_seen;  // of compactions
bool has_said;           // why there is no helper
bool has_said_turn;      // why the recording has turned to a sample

// Deaths and failures that get a sentence each.
constexpr unsigned sentences_max = 3;

void note(ThreadLane& lane, std::string_view text) {
    Note record;
    record.time = lane.stamp(ticks_now());
    record.subject = "compaction";
    record.text = text;
    lane.put_long(record);
}

// As "12.3": a recording of a second may turn twice.
FixedText<24> seconds(uint64_t time) {
    const uint64_t tenths = time / std::max<uint64_t>(ticks.per_second / 10, 1);
    FixedText<24> text;
    text << tenths / 10 << '.' << tenths % 10;
    return text;
}

// Bytes that may come after a compaction, before the recording would turn to a sample, and before
// there would be no room for what the next compaction adds.
uint64_t room_after() {
    const uint64_t turn = options.max_dump / 2 + coming(options.max_dump);
    const uint64_t room = options.max_dump - options.max_dump / growth_part;
    const uint64_t end = std::min(turn, room - std::min(room, used_after));
    return end - std::min(end, used_after);
}

uint64_t growth_wanted() {
    const uint64_t least = std::max(options.max_dump / growth_part, growth_min);
    return std::max(least, std::min(used_after, room_after() / 3 * 2));
}

// Says once in the dump why it is not compacted.
void say_why_not(ThreadLane& lane, const char* why) {
    if (std::exchange(has_said, true)) return;
    FixedText<400> text;
    text << "The dump is not compacted while it is written: " << why
         << ". When half of max_dump is used, the recording turns to a sample.";
    note(lane, text.view());
}

// Nobody tells the program how a process ended that is not its child.
void say_death(ThreadLane& lane, uint64_t now, const char* what_follows) {
    should_live = false;
    if (++deaths > sentences_max) return;
    FixedText<400> text;
    text << "After " << seconds(now).view()
         << " s the process that compacts the dump (memtrace-report) "
         << (was_seen_alive ? "had ended before the program: it was killed, perhaps because memory "
                              "ran out, or it failed"
                            : "had not begun to work, or had ended at once")
         << what_follows;
    if (deaths == sentences_max) text << " Further ends of it are not noted.";
    note(lane, text.view());
}

void look_for_failures(ThreadLane& lane, uint64_t now) {
    const uint32_t failures = asked_now(control_page().compactions_failed);
    if (failures <= failures_seen) return;
    const bool is_noted = failures_seen < sentences_max;
    failures_seen = failures;
    if (!is_noted) return;
    const uint32_t why = asked_now(control_page().compaction_failure);
    FixedText<400> text;
    text << "After " << seconds(now).view() << " s a compaction of the dump had failed: ";
    if (why == compaction_error)
        text << "there was no room for what it adds, or another error; the dump is as it was.";
    else
        text << "its process was ended by signal " << uint64_t{why}
             << "; where memory runs out, the system ends it first. The dump is as it was.";
    note(lane, text.view());
}

// Says once in the dump why every block is recorded no more.
void say_turn(ThreadLane& lane, uint64_t now, bool lives) {
    const bool is_turned = preload::sample_level() > first_heap_level();
    if (!is_turned || std::exchange(has_said_turn, true)) return;
    FixedText<500> text;
    text << "By " << seconds(now).view() << " s the "
         << (first_heap_level() == 0 ? "recording had turned to a sample, "
                                     : "sample had become sparser, ");
    if (dump_file::halvings_of_length() > 0) {
        text << "because no file may be longer than " << dump_limit::length_limit()
             << " bytes here (ulimit -f), and parts of the dump that were given back count, too.";
    } else if (has_said) {
        return;  // That was a warning of it.
    } else if (!lives) {
        text << "because no process compacted the dump at that time.";
    } else if (failures_seen > 0) {
        text << "because compactions of the dump had failed.";
    } else {
        text << "because the program records faster than the dump is compacted.";
    }
    note(lane, text.view());
}

const char* why_not() {
    if (!dump_file::is_mapped()) return "its newest events are in memory of the program";
    if (const char* const why = why_no_helper()) return why;
    if (starts >= starts_max) return "its helper was killed again and again";
    return nullptr;
}

// What is no system call of a recording is left out once the program filters them.
bool helper_lives() {
    if (helpers_are_forbidden()) return has_helper.load();
    struct flock lock = lock_of_byte(F_WRLCK, helper_lock_offset);
    const long result = sys::fcntl(dump_file::descriptor(), F_OFD_GETLK, sys::address_of(&lock));
    return !sys::failed(result) && lock.l_type != F_UNLCK;
}

void wake_helper() {
    if (helpers_are_forbidden()) return;  // It looks by itself.
    sys::call(SYS_futex, sys::address_of(&control_page().compactions_asked), FUTEX_WAKE, INT_MAX);
}

void start_helper(ThreadLane& lane, uint64_t now) {
    if (now < not_before) return;
    not_before = now + (ticks.per_second << std::min(starts, doublings_max));
    if (should_live) say_death(lane, now, ". It is started again.");
    if (const char* const why = why_not()) return say_why_not(lane, why);
    FixedText<24> limit;
    limit << options.max_dump;
    ++starts;
    was_seen_alive = false;
    should_live = start_detached_helper(helper_word, dump_file::descriptor(), limit.c_str());
    if (should_live) has_helper.store(true);
    else say_why_not(lane, "no process could be started");
}

void ask(uint64_t now) {
    asked_at = now;
    is_waiting = true;
    answer(control_page().compactions_asked, ++asked);
    wake_helper();
}

// Notices that the newest compaction has ended.
void look_for_end(uint64_t now) {
    if (!is_waiting || asked_now(control_page().compactions_ended) != asked) return;
    is_waiting = false;
    was_seen_alive = true;
    rest_until = now + std::min(now - asked_at, ticks.per_second * 60) * rest_share;
    used_after = dump_file::used_bytes();
}

}  // namespace

void start_compactions() {
    is_busy.store(false);
    has_helper.store(false);
    is_waiting = has_said = has_said_turn = should_live = was_seen_alive = false;
    deaths = 0;
    failures_seen = 0;
    asked = 0;
    rest_until = not_before = used_after = 0;
    starts = 0;
    dump_file::expect_room(0);
}

namespace {

void compact_if_due(ThreadLane& lane, uint64_t now) {
    look_for_end(now);
    if (dump_file::is_mapped()) look_for_failures(lane, now);
    const uint64_t used = dump_file::used_bytes();
    const bool may_rest = used < used_after + room_after() / 2;
    if (used >= used_after + growth_wanted()) {
        const bool lives = helper_lives();
        was_seen_alive |= lives;
        dump_file::expect_room(lives ? coming(options.max_dump) : 0);
        if (!is_waiting && dump_file::is_mapped() && (now >= rest_until || !may_rest)) ask(now);
        if (now >= not_before && !lives) start_helper(lane, now);
    }
    if (!has_said_turn && preload::sample_level() > first_heap_level())
        say_turn(lane, now, helper_lives());
}

}  // namespace

void go_on_with_compaction(ThreadLane& lane, uint64_t now) {
    if (options.max_dump == 0 || is_busy.exchange(true)) return;
    if (options.compact) compact_if_due(lane, now);
    else if (!has_said_turn && dump_file::halvings_of_length() > 0) say_turn(lane, now, false);
    is_busy.store(false);
}

void note_compactions(ThreadLane& lane, uint64_t now) {
    if (!has_helper.load() || !dump_file::is_open() || is_busy.exchange(true)) return;
    look_for_failures(lane, now);
    if (should_live && !helper_lives()) say_death(lane, now, ".");
    is_busy.store(false);
}

bool end_compactions() {
    if (!has_helper.load() || !dump_file::is_open()) return false;
    wake_helper();
    return helper_lives();
}

}  // namespace memtrace::preload
