// SPDX-License-Identifier: Apache-2.0
//
// The recording state: one word that every hook reads first to decide if this process is recorded.
// It lies in a page that the kernel clears in a forked child (MADV_WIPEONFORK). So a child detects
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

struct RecordingWord {
    std::atomic<Recording> recording;
};
extern RecordingWord* recording_word;

inline Recording recording() { return recording_word->recording.load(std::memory_order_acquire); }
inline void set_recording(Recording value) {
    recording_word->recording.store(value, std::memory_order_release);
}

// Moves the recording state into a page that is cleared in forked children. Returns false if the
// kernel cannot do that (before 4.14). Then forked children must not be recorded.
bool make_recording_state_fork_aware();

}  // namespace memtrace::preload
