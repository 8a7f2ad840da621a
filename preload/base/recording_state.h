// SPDX-License-Identifier: Apache-2.0
//
// The recording state: words that every hook reads first to decide if this process is recorded.
// They lie in a page that the kernel clears in a forked child (MADV_WIPEONFORK). So a child detects
// the fork by the same load, without querying its pid, however it was forked. A vfork child shares
// the parent's memory and counts as its parent.
//
// A process that is *asleep* records nothing until somebody asks for it (`memtrace start`). The
// request is a number in a page that other processes can write to: it is odd when the process is to
// wake up. Hooks look at its lowest bit and at nothing else (is_asleep()).
#pragma once

#include <atomic>
#include <cstdint>

#include "memtrace/dump/format.h"

namespace memtrace::preload {

enum class Recording : uint32_t {
    undecided = 0,  // not started yet, or a forked child that has not allocated yet
    on = 1,
    off = 2,      // this process is not recorded
    stopped = 3,  // on until an internal failure; events are counted as lost
    asleep = 4,   // nothing is recorded until somebody asks for it
};

// What is recorded of the heap.
enum class HeapMode : uint32_t {
    undecided = 0,  // as Recording::undecided
    whole = 1,      // every block; also where nothing is recorded
    sample = 2,     // a sample from the first block on
    turned = 3,     // a sample since the dump had become large
};
// True if not every block is recorded.
inline bool is_sample(HeapMode mode) { return mode >= HeapMode::sample; }

struct RecordingWord {
    std::atomic<Recording> recording;
    std::atomic<HeapMode> heap;
    std::atomic<uint8_t> sample_level;  // sample_levels.h
    // The distance from `wide_awake` to the number that wakes this process; 0: it is awake, or it
    // is a forked child that has not noticed yet. A sum of two needs no comparison with 0.
    std::atomic<uintptr_t> to_alarm;
};
// The page of the words. The kernel clears whole pages.
struct alignas(page_bytes) RecordingPage {
    RecordingWord word;
};
// Hidden: these are addressed directly, not by a table.
[[gnu::visibility("hidden")]] extern RecordingPage recording_page;
inline constexpr RecordingWord* recording_word = &recording_page.word;

inline HeapMode heap_mode() { return recording_word->heap.load(std::memory_order_relaxed); }
inline void set_heap_mode(HeapMode mode) {
    recording_word->heap.store(mode, std::memory_order_relaxed);
}

inline uint8_t sample_level() {
    return recording_word->sample_level.load(std::memory_order_relaxed);
}
// Makes samples sparser from now on, and a whole heap a sample. They never become denser again.
void raise_sample_level(uint8_t level);

inline Recording recording() { return recording_word->recording.load(std::memory_order_acquire); }
inline void set_recording(Recording value) {
    recording_word->recording.store(value, std::memory_order_release);
}

[[gnu::visibility("hidden")]] extern uint64_t wide_awake;  // an odd number

// True if nothing is recorded and nobody has asked for it: no hook has anything to do. Otherwise
// is_recording() tells.
[[gnu::always_inline]] inline bool is_asleep() {
    const auto* const alarm =
        reinterpret_cast<const uint8_t*>(reinterpret_cast<uintptr_t>(&wide_awake) +
                                         recording_word->to_alarm.load(std::memory_order_relaxed));
    bool is_even;
    asm volatile("testb $1, %1" : "=@ccz"(is_even) : "m"(*alarm));
    return is_even;
}

// From now on this process sleeps until the number at `alarm` is odd. Returns false if its state
// is not `before`.
bool fall_asleep(Recording before, const uint64_t* alarm);
// Makes is_asleep() true again after a race of threads that wake up, if the process sleeps.
void sleep_on(const uint64_t* alarm);
// Ends the sleep. Returns false if another thread did so first.
bool wake_up();
// True if this process, or else the one that forked it, fell asleep last and did not wake up.
bool was_asleep();
// True if a forked child will notice that it is one, whose parent sleeps.
bool can_sleep();

// The slow path of is_recording(): starts the recording of a process that has not decided yet or
// that is to wake up, and counts an event of a stopped recording as lost. Defined in
// preload/session, which is above this room; no other call of the shim runs upward.
bool decide_recording(Recording now);

// The first call of every hook.
inline bool is_recording() {
    const Recording now = recording();
    if (now == Recording::on) [[likely]]
        return true;
    if (now == Recording::off || (now == Recording::asleep && is_asleep())) return false;
    return decide_recording(now);
}

// Has the recording state cleared in forked children. Returns false if the kernel cannot do that
// (before 4.14). Then forked children must not be recorded.
bool make_recording_state_fork_aware();

}  // namespace memtrace::preload
