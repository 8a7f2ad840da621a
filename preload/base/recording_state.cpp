// SPDX-License-Identifier: Apache-2.0
#include "preload/base/recording_state.h"

#include <new>

#include "memtrace/dump/format.h"
#include "preload/base/hot_data.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

RecordingWord first_recording_word;

}  // namespace

MEMTRACE_HOT_DATA RecordingWord* recording_word = &first_recording_word;

bool make_recording_state_fork_aware() {
    constexpr int wipe_on_fork = 18;  // MADV_WIPEONFORK, absent from older headers
    if (recording_word != &first_recording_word) return true;
    void* page = sys::map_private(page_bytes);
    if (page == nullptr) return false;
    if (!sys::advise(page, page_bytes, wipe_on_fork)) {
        sys::unmap(page, page_bytes);
        return false;
    }
    recording_word = new (page) RecordingWord{};
    recording_word->recording.store(first_recording_word.recording.load());
    recording_word->heap.store(first_recording_word.heap.load());
    return true;
}

}  // namespace memtrace::preload
