// SPDX-License-Identifier: Apache-2.0
#include "preload/base/recording_state.h"

#include <new>

#include "memtrace/dump/format.h"
#include "preload/base/hot_data.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

Gate first_gate;

}  // namespace

MEMTRACE_HOT_DATA Gate* gate = &first_gate;

bool make_gate_fork_aware() {
    constexpr int wipe_on_fork = 18;  // MADV_WIPEONFORK, absent from older headers
    if (gate != &first_gate) return true;
    void* page = sys::map_private(page_bytes);
    if (page == nullptr) return false;
    if (!sys::advise(page, page_bytes, wipe_on_fork)) {
        sys::unmap(page, page_bytes);
        return false;
    }
    gate = new (page) Gate{};
    gate->recording.store(first_gate.recording.load());
    return true;
}

}  // namespace memtrace::preload
