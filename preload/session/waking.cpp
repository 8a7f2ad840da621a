// SPDX-License-Identifier: Apache-2.0
#include "preload/session/waking.h"

#include "preload/base/recording_state.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/objects/python_objects.h"
#include "preload/recording/event_scope.h"
#include "preload/recording/host_look.h"
#include "preload/recording/recording_switch.h"
#include "preload/session/coverage.h"
#include "preload/writer/control_page.h"

namespace memtrace::preload {
namespace {

bool wake_up_in(ThreadLane& lane, uint32_t request) {
    // Blocks of which nobody knows would seem to be free memory.
    leave_out_host_looks();
    put_switch(lane, SwitchState::on);
    const bool is_first = wake_up();
    if (is_first) answer(control_page().recording_obeyed, request);
    lane.write_deferred();
    return is_first;
}

}  // namespace

bool wake_if_asked() {
    ThreadState& state = thread_state;
    if (state.inside != ThreadMode::program && !came_back_by_jump(state)) return false;
    const uint32_t request = asked_now(control_page().recording_asked);
    if (!asks_to_record(request)) {
        sleep_on(alarm());
        return false;
    }
    enter_record(state);
    ThreadLane* const lane = ThreadLane::of_this_thread();
    const bool is_first = lane != nullptr && wake_up_in(*lane, request);
    state.inside = ThreadMode::program;
    if (!is_first) return false;
    note_coverage_of_sleep();
    note_python_objects_are_late();
    note_gpu_after_sleep();
    return true;
}

}  // namespace memtrace::preload
