// SPDX-License-Identifier: Apache-2.0
//
// The recording state of this process: one word that every hook reads first. It lies in a page that
// the kernel clears in a forked child (MADV_WIPEONFORK), so the same load tells a child that it is
// one, however it was forked and without a call for its pid. A vfork child shares the memory of its
// parent and counts as the parent.
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

struct RecordingWord {
    std::atomic<Recording> recording;
};
extern RecordingWord* recording_word;

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

// Moves the recording word into a page that forked children see cleared. Returns false if the
// kernel cannot do that (before 4.14); then forked children must not be recorded.
bool make_recording_state_fork_aware();

}  // namespace memtrace::preload
