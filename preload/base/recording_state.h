// SPDX-License-Identifier: Apache-2.0
//
// The recording state: words that every hook reads first to decide if this process is recorded.
// They lie in a page that the kernel clears in a forked child (MADV_WIPEONFORK). So a child detects
// the fork by the same load, without querying its pid, however it was forked. A vfork child shares
// the parent's memory and counts as its parent.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

enum class Recording : uint32_t {
    undecided = 0,  // not started yet, or a forked child that has not allocated yet
    on = 1,
    off = 2,      // this process is not recorded
    stopped = 3,  // on until an internal failure; events are counted as lost
};

// What is recorded of the heap.
enum class HeapMode : uint32_t {
    undecided = 0,  // as Recording::undecided
    whole = 1,      // every block; also where nothing is recorded
    sample = 2,
};

struct RecordingWord {
    std::atomic<Recording> recording;
    std::atomic<HeapMode> heap;
};
extern RecordingWord* recording_word;

inline HeapMode heap_mode() { return recording_word->heap.load(std::memory_order_relaxed); }
inline void set_heap_mode(HeapMode mode) {
    recording_word->heap.store(mode, std::memory_order_relaxed);
}

inline Recording recording() { return recording_word->recording.load(std::memory_order_acquire); }
inline void set_recording(Recording value) {
    recording_word->recording.store(value, std::memory_order_release);
}

// The slow path of is_recording(): starts the recording of a process that has not decided yet, and
// counts an event of a stopped recording as lost. Defined in preload/session, which is above this
// room; no other call of the shim runs upward.
bool decide_recording(Recording now);

// The first call of every hook.
inline bool is_recording() {
    const Recording now = recording();
    if (now == Recording::on) [[likely]]
        return true;
    if (now == Recording::off) return false;
    return decide_recording(now);
}

// Moves the recording state into a page that is cleared in forked children. Returns false if the
// kernel cannot do that (before 4.14). Then forked children must not be recorded.
bool make_recording_state_fork_aware();

}  // namespace memtrace::preload
