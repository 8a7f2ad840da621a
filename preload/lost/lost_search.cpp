// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/lost_search.h"

#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "memtrace/dump/lost_request.h"
#include "preload/base/clock.h"
#include "preload/base/fixed_text.h"
#include "preload/base/options.h"
#include "preload/base/sys.h"
#include "preload/host/proc_number.h"
#include "preload/lost/lost_objects.h"
#include "preload/lost/lost_question.h"
#include "preload/lost/may_search.h"
#include "preload/lost/standing_copy.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/control_page.h"
#include "preload/writer/dump_file.h"
#include "preload/writer/error_text.h"
#include "preload/writer/high_descriptor.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t second_ns = 1'000'000'000;
// A search takes longer than this only if something is wrong.
constexpr uint64_t wait_max_ns = 600 * second_ns;
constexpr uint32_t answers_a_turn = 2048;          // that are written with one sample
constexpr uint64_t turn_wait_ns = 20 * second_ns;  // for another thread's step of a search

std::atomic<bool> is_busy;
uint64_t next_search;    // ticks; of searches by interval
uint32_t searches_seen;  // that others asked for

// The search that is under way. Its owner is the thread that has set is_busy.
enum class Stage : uint8_t { none, first_copy, between, second_copy, writing };
struct Search {
    Stage stage = Stage::none;
    LostCause cause = LostCause::work_end;
    bool was_asked = false;  // by another process, which waits
    uint64_t threads = 0;
    int descriptor = -1;
    LostRequest* request = nullptr;
    StandingCopy copy;
    uint64_t copied_at = 0;  // ticks
    uint64_t written = 0;    // answers
    bool is_broken = false;  // The answers cannot be read any more.
    LostSums sums;
};
Search search;

uint64_t other_threads() {
    const uint64_t threads = proc_number("/proc/self/status", "Threads:", 0);
    return threads == 0 ? 0 : threads - 1;
}

void put(ThreadLane& lane, LostSearch record, Text text = {}) {
    record.text = text;
    record.time = lane.stamp(record.time != 0 ? record.time : ticks_now());
    lane.put_long(record);
}

// ---- the request -------------------------------------------------------------------------------

// Returns 0 or an error of the kernel.
int open_request() {
    const long made = sys::call(SYS_memfd_create, sys::address_of("memtrace-lost"), 1 /*CLOEXEC*/);
    if (sys::failed(made)) return static_cast<int>(-made);
    search.descriptor = to_high_number(static_cast<int>(made));
    const long grown = sys::ftruncate(search.descriptor, answer_offset);
    if (sys::failed(grown)) return static_cast<int>(-grown);
    search.request = static_cast<LostRequest*>(sys::map_file(search.descriptor, 0, answer_offset));
    return search.request != nullptr ? 0 : ENOMEM;
}

void close_request() {
    if (search.request != nullptr) sys::unmap(search.request, answer_offset);
    if (search.descriptor >= 0) sys::close(search.descriptor);
    search = Search{};
}

// ---- stages ------------------------------------------------------------------------------------

void fail(ThreadLane& lane, std::string_view why) {
    LostSearch record;
    record.stage = LostStage::failed;
    record.cause = search.cause;
    put(lane, record, why);
}

void refuse(ThreadLane& lane, LostCause cause, std::string_view why) {
    LostSearch record;
    record.stage = LostStage::refused;
    record.cause = cause;
    put(lane, record, why);
}

bool make_copy(ThreadLane& lane, const CallerState& caller) {
    LostRequest& request = *search.request;
    describe_process(request, caller);
    request.other_threads = search.threads;
    request.goes_on = search.cause == LostCause::asked || search.cause == LostCause::interval;
    request.is_second = search.stage == Stage::second_copy ? 1 : 0;
    request.state = LostAnswerState::none;
    LostSearch record;
    record.cause = search.cause;
    record.threads = search.threads;
    record.time = request.at = search.copied_at = lane.stamp(ticks_now());
    const bool polite = search.cause != LostCause::work_end;
    search.copy = StandingCopy::make(request, search.descriptor, dump_file::descriptor(), polite);
    record.pause = ticks_now() - record.time;
    put(lane, record);
    if (search.copy.pid > 0) return true;
    Line why("The process cannot be copied: ");
    why << error_text(static_cast<int>(-search.copy.pid)).view() << '.';
    fail(lane, why.view());
    return false;
}

// Returns false if no search begins; that is in the dump then.
bool begin(ThreadLane& lane, LostCause cause, const CallerState& caller) {
    search.cause = cause;
    Line why;
    if (may_search(cause, why)) {
        if (const int error = open_request(); error != 0) {
            why << "No search: the question to memtrace-report cannot be made: "
                << error_text(error).view() << '.';
        }
    }
    if (why.size() != 0) {
        refuse(lane, cause, why.view());
        return false;
    }
    search.threads = other_threads();
    search.stage = Stage::first_copy;
    return make_copy(lane, caller);
}

// Called when the copy has ended. Returns false if the search has failed.
bool has_answer(ThreadLane& lane) {
    const LostRequest& request = *search.request;
    if (request.state == LostAnswerState::done) return true;
    if (request.state == LostAnswerState::failed) {
        fail(lane, Text(request.text, strnlen(request.text, sizeof request.text)));
    } else {
        fail(lane, "memtrace-report ended without an answer.");
    }
    return false;
}

bool needs_second_copy() {
    return search.stage == Stage::first_copy && search.threads != 0 && search.request->answers != 0;
}

// Writes some of the answers. Returns true if there are more.
bool write_answers(ThreadLane& lane, uint64_t most) {
    LostAnswer answers[64];
    const bool is_sure = search.threads == 0 || search.request->is_second != 0;
    uint64_t left = std::min(most, search.request->answers - search.written);
    while (left > 0) {
        const uint64_t count = std::min<uint64_t>(left, std::size(answers));
        const uint64_t offset = answer_offset + search.written * sizeof(LostAnswer);
        const long got =
            sys::call(SYS_pread64, search.descriptor, sys::address_of(answers),
                      static_cast<long>(count * sizeof(LostAnswer)), static_cast<long>(offset));
        if (got != static_cast<long>(count * sizeof(LostAnswer))) {
            search.is_broken = true;  // The program has closed the descriptor.
            return false;
        }
        for (uint64_t i = 0; i < count; ++i) {
            LostBlock block;
            block.time = lane.stamp(ticks_now());
            block.address = answers[i].address;
            block.kind = answers[i].kind;
            if (!is_sure) {
                // Nobody had a second look, so it may be in use.
                if (block.kind == LostKind::garbage) continue;
                if (block.kind != LostKind::ignored) block.kind = LostKind::possibly;
            }
            search.sums.definitely += block.kind == LostKind::definitely;
            search.sums.indirectly += block.kind == LostKind::indirectly;
            search.sums.possibly += block.kind == LostKind::possibly;
            lane.put_long(block);
        }
        search.written += count;
        left -= count;
    }
    return search.written < search.request->answers;
}

void write_end(ThreadLane& lane) {
    if (search.is_broken) return fail(lane, "The program has closed a descriptor of memtrace's.");
    const LostRequest& request = *search.request;
    LostSearch record;
    record.stage = LostStage::done;
    record.cause = search.cause;
    record.blocks = request.blocks;
    record.bytes = request.bytes;
    record.work = request.work_us;
    FixedText<1280> text(
        std::string_view(request.text, strnlen(request.text, sizeof request.text)));
    if (request.not_copied != 0) {
        if (text.size() != 0) text << ' ';
        text << "A copy of the process has not all of its memory: "
             << (request.not_copied + 1023) / 1024
             << " KiB were left out (MADV_DONTFORK, MADV_WIPEONFORK) and may not be read, so "
                "nothing is called definitely lost.";
    }
    if (const uint64_t left_out = lost_objects_left_out(); left_out != 0) {
        if (text.size() != 0) text << ' ';
        text << left_out
             << " roots and blocks to be ignored that the program named were too many to be noted: "
                "blocks may be called lost because of that.";
    }
    put(lane, record, text.view());
    search.sums.is_known = true;
}

void answer_asker() {
    if (!search.was_asked || !dump_file::is_mapped()) return;
    answer(control_page().searches_ended, searches_seen);
}

bool has_copy() { return search.stage == Stage::first_copy || search.stage == Stage::second_copy; }

// Another search begins. Who has asked for the one that is under way gets the answer of that.
void make_way(ThreadLane& lane) {
    if (search.stage == Stage::none) return;
    if (has_copy()) search.copy.stop();
    if (search.stage == Stage::writing) {
        write_answers(lane, UINT64_MAX);
        write_end(lane);
    } else {
        fail(lane, "Another search was begun before it had ended.");
    }
    const bool was_asked = search.was_asked;
    close_request();
    search.was_asked = was_asked;
}

bool take_turn() {  // false: another thread is at it for too long
    constexpr uint64_t step_ns = 1'000'000;
    for (uint64_t waited = 0; is_busy.exchange(true, std::memory_order_acquire);
         waited += step_ns) {
        if (waited >= turn_wait_ns) return false;
        const timespec step{0, step_ns};
        sys::call(SYS_nanosleep, sys::address_of(&step));
    }
    return true;
}

void leave() {
    answer_asker();
    close_request();
    is_busy.store(false, std::memory_order_release);
}

bool wait_for_answer(ThreadLane& lane) {
    if (search.copy.wait(wait_max_ns)) return has_answer(lane);
    search.copy.stop();
    fail(lane, "The search took longer than ten minutes.");
    return false;
}

bool is_due(uint64_t now) { return options.lost >= time_min_s && now >= next_search; }

// True if another process has asked for a search since the last one.
bool is_asked() {
    if (!dump_file::is_mapped()) return false;
    const uint32_t wanted = asked_now(control_page().searches);
    if (wanted == searches_seen) return false;
    searches_seen = wanted;
    return true;
}

}  // namespace

void start_lost_searches() {
    close_request();  // of the process that was forked
    is_busy.store(false);
    searches_seen = 0;
    next_search = ticks_now() + options.lost * ticks.per_second;
}

LostSums search_lost_now(ThreadLane& lane, LostCause cause, const CallerState& caller) {
    if (!take_turn()) {
        refuse(lane, cause, "No search: another thread was at one for a long time.");
        return {};
    }
    make_way(lane);
    bool is_on = begin(lane, cause, caller) && wait_for_answer(lane);
    if (is_on && needs_second_copy()) {
        const timespec pause{1, 0};
        sys::call(SYS_nanosleep, sys::address_of(&pause));
        search.stage = Stage::second_copy;
        is_on = make_copy(lane, caller) && wait_for_answer(lane);
    }
    if (is_on) {
        write_answers(lane, UINT64_MAX);
        write_end(lane);
    }
    const LostSums sums = search.sums;
    leave();
    return sums;
}

void go_on_with_lost_search(ThreadLane& lane, uint64_t now) {
    const CallerState caller = caller_state();
    if (is_busy.exchange(true, std::memory_order_acquire)) return;
    bool goes_on = true;
    switch (search.stage) {
        case Stage::none: {
            const bool was_asked = is_asked();
            if (!was_asked && !is_due(now)) {
                goes_on = false;
                break;
            }
            next_search = now + options.lost * ticks.per_second;
            search.was_asked = was_asked;
            goes_on = begin(lane, was_asked ? LostCause::asked : LostCause::interval, caller);
            break;
        }
        case Stage::first_copy:
        case Stage::second_copy:
            if (!search.copy.has_ended()) break;
            goes_on = has_answer(lane);
            if (goes_on) search.stage = needs_second_copy() ? Stage::between : Stage::writing;
            break;
        case Stage::between:
            if (now - search.copied_at < ticks.per_second) break;
            search.stage = Stage::second_copy;
            goes_on = make_copy(lane, caller);
            break;
        case Stage::writing:
            if (write_answers(lane, answers_a_turn)) break;
            write_end(lane);
            goes_on = false;
            break;
    }
    if (!goes_on) return leave();
    is_busy.store(false, std::memory_order_release);
}

void end_lost_search(ThreadLane& lane, bool may_wait) {
    if (is_busy.exchange(true, std::memory_order_acquire)) return;
    constexpr uint64_t end_wait_ns = 10 * second_ns;
    bool has_result = search.stage == Stage::writing;
    if (has_copy()) {
        if (search.copy.wait(may_wait ? end_wait_ns : 0)) has_result = has_answer(lane);
        else search.copy.stop();
    }
    if (search.stage == Stage::between) has_result = true;  // of one copy: nothing is sure
    if (has_result) {
        write_answers(lane, UINT64_MAX);
        write_end(lane);
    }
    leave();
}

}  // namespace memtrace::preload
