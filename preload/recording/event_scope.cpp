// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/event_scope.h"

#include <signal.h>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

// A handler's frames lie at least this far below what it interrupted: the red zone, and what the
// kernel saves.
constexpr uintptr_t signal_frame_bytes_min = 128 + 600;

bool is_on_alternate_stack() {
    stack_t now = {};
    return sys::call(SYS_sigaltstack, 0, sys::address_of(&now)) != 0 ||
           (now.ss_flags & SS_ONSTACK) != 0;
}

}  // namespace

// Stacks grow downwards. What interrupted the record lies below it, or on a stack for handlers.
bool came_back_by_jump(const ThreadState& state) {
    if (state.inside != ThreadMode::record) return false;
    if (stack_pointer() + signal_frame_bytes_min <= recording_at(state)) return false;
    if (is_on_alternate_stack()) return false;
    dump_file::count_lost_events(1);  // the event that was given up
    if (ThreadLane* lane = ThreadLane::taken()) lane->restart_after_jump();
    return true;
}

}  // namespace memtrace::preload
