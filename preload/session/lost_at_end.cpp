// SPDX-License-Identifier: Apache-2.0
#include "preload/session/lost_at_end.h"

#include <errno.h>

#include "preload/base/options.h"
#include "preload/lost/main_frame.h"
#include "preload/recording/event_scope.h"
#include "preload/session/program_suppressions.h"

namespace memtrace::preload {
namespace {

// Of the thread that ended an interpreter: its acquisitions until then.
const ThreadLane* lane_of_python_end;
uint64_t acquired_until_python_end;

bool is_off() { return options.lost == static_cast<uint64_t>(LostSearches::off); }

// Another tenth was acquired since.
bool has_gone_on_without_python(ThreadLane& lane) {
    constexpr uint64_t part = 10;
    return &lane != lane_of_python_end ||
           (lane.acquisitions() - acquired_until_python_end) * part > acquired_until_python_end;
}

}  // namespace

void search_lost_at_python_end(ThreadLane& lane) {
    const CallerState caller = caller_state();
    if (is_off() || lane_of_python_end != nullptr) return;
    const int errno_before = errno;
    lane_of_python_end = &lane;
    acquired_until_python_end = lane.acquisitions();
    search_lost_now(lane, LostCause::work_end, caller);
    errno = errno_before;
}

void search_lost_at_end(CallerState caller) {
    if (is_off()) return;
    const int errno_before = errno;
    if (has_main_returned(caller.stack)) caller = {start_of_process_stack(), {}};
    note_program_suppressions();
    EventScope event;
    if (event && has_gone_on_without_python(event.lane()))
        search_lost_now(event.lane(), LostCause::work_end, caller);
    errno = errno_before;
}

}  // namespace memtrace::preload
