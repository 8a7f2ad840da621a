// SPDX-License-Identifier: Apache-2.0
//
// One word that every hook reads first: is this process recorded? It lives in a page that the
// kernel clears in a forked child (MADV_WIPEONFORK), so a child finds out by the same load, without
// asking for its pid, however it was forked. A vfork child shares our memory and is its parent.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

enum class Recording : uint32_t {
    undecided = 0,  // not started yet, or a forked child that has not allocated yet
    on = 1,
    off = 2,      // this process is not to be recorded
    stopped = 3,  // was on until something broke: events are counted as lost
};

struct RecordingWord {
    std::atomic<Recording> recording;
};
extern RecordingWord* recording_word;

inline Recording recording() { return recording_word->recording.load(std::memory_order_acquire); }
inline void set_recording(Recording value) {
    recording_word->recording.store(value, std::memory_order_release);
}

// Moves the gate into a page that forked children see cleared. False: the kernel cannot (before
// 4.14); then forked children must not be recorded.
bool make_recording_state_fork_aware();

}  // namespace memtrace::preload
