// SPDX-License-Identifier: Apache-2.0
#include "preload/session/lost_calls.h"

#include <errno.h>

#include "preload/lost/lost_search.h"
#include "preload/recording/event_scope.h"
#include "preload/session/program_suppressions.h"
#include "preload/session/session.h"

namespace memtrace::preload {

bool check_lost() {
    const CallerState caller = caller_state();
    if (is_borrowed_memory()) return false;
    const int errno_before = errno;
    note_program_suppressions();
    LostSums sums;
    {
        EventScope event;
        if (event) sums = search_lost_now(event.lane(), LostCause::program, caller);
    }
    errno = errno_before;
    return sums.definitely + sums.indirectly != 0;
}

void change_lost_scope(int change) {
    int16_t& sum = thread_state.without_search;
    const bool before = sum > 0;
    sum = static_cast<int16_t>(sum + change);
    const bool after = sum > 0;
    if (before == after) return;
    EventScope event;
    if (!event) return;
    LostScope record;
    record.time = event.lane().stamp(ticks_now());
    record.is_disabled = after ? 1 : 0;
    event.lost_unless(event.lane().put_long(record));
}

}  // namespace memtrace::preload
