// SPDX-License-Identifier: Apache-2.0
#include "preload/base/recording_state.h"

#include "preload/base/hot_data.h"
#include "preload/base/sys.h"

namespace memtrace::preload {

constinit RecordingPage recording_page;
static_assert(sizeof(RecordingPage) == page_bytes);

MEMTRACE_HOT_DATA uint64_t wide_awake = 1;

namespace {

bool is_fork_aware;
bool sleeps;  // a forked child reads what it was in its parent

}  // namespace

bool make_recording_state_fork_aware() {
    constexpr int wipe_on_fork = 18;  // MADV_WIPEONFORK, absent from older headers
    is_fork_aware = sys::advise(&recording_page, sizeof recording_page, wipe_on_fork);
    return is_fork_aware;
}

bool can_sleep() { return is_fork_aware; }

bool fall_asleep(Recording before, const uint64_t* alarm) {
    sleeps = true;
    if (!recording_word->recording.compare_exchange_strong(before, Recording::asleep)) {
        sleeps = before == Recording::asleep;
        return false;
    }
    sleep_on(alarm);
    return true;
}

void sleep_on(const uint64_t* alarm) {
    recording_word->to_alarm.store(
        reinterpret_cast<uintptr_t>(alarm) - reinterpret_cast<uintptr_t>(&wide_awake),
        std::memory_order_seq_cst);
    // Another thread may have woken up meanwhile.
    if (recording_word->recording.load() != Recording::asleep) recording_word->to_alarm.store(0);
}

// No hook looks at the alarm when the process is on: a request to stop must not silence malloc
// before the recording has stopped. Another thread may be in sleep_on(), hence twice.
bool wake_up() {
    recording_word->to_alarm.store(0);
    Recording asleep = Recording::asleep;
    if (!recording_word->recording.compare_exchange_strong(asleep, Recording::on)) return false;
    recording_word->to_alarm.store(0);
    sleeps = false;
    return true;
}

bool was_asleep() { return sleeps; }

void raise_sample_level(uint8_t level) {
    uint8_t before = sample_level();
    while (before < level && !recording_word->sample_level.compare_exchange_weak(before, level)) {
    }
    HeapMode whole = HeapMode::whole;
    recording_word->heap.compare_exchange_strong(whole, HeapMode::turned);
}

}  // namespace memtrace::preload
