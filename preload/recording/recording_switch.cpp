// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/recording_switch.h"

#include "preload/base/clock.h"
#include "preload/base/internal_heap.h"
#include "preload/base/recording_state.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/control_page.h"

namespace memtrace::preload {
namespace {

constexpr uint32_t begins_on = 1, begins_off = 2;
static_assert(asks_to_record(begins_on) && !asks_to_record(begins_off));

}  // namespace

const uint64_t* alarm() { return &control_page().recording_asked.word; }

void put_switch(ThreadLane& lane, SwitchState state) {
    lane.put_long(RecordingSwitch{lane.stamp(ticks_now()), state});
}

bool can_be_asked() { return dump_file::is_mapped() && can_sleep(); }

void announce(SwitchState begins) {
    if (!can_be_asked()) return;
    const uint32_t request = begins == SwitchState::on ? begins_on : begins_off;
    answer(control_page().recording_asked, request);
    answer(control_page().recording_obeyed, request);
}

void begin_sleep() {
    internal_heap_allocate(0);  // The hook of free() compares with its address.
    fall_asleep(recording(), alarm());
}

bool fall_asleep_if_asked(ThreadLane& lane) {
    if (!can_be_asked()) return false;
    Control& control = control_page();
    const uint32_t request = asked_now(control.recording_asked);
    if (request == 0 || request == asked_now(control.recording_obeyed)) return false;
    if (asks_to_record(request)) {
        answer(control.recording_obeyed, request);
        return false;
    }
    internal_heap_allocate(0);
    put_switch(lane, SwitchState::off);
    if (!fall_asleep(Recording::on, alarm())) return false;
    answer(control.recording_obeyed, request);
    return true;
}

}  // namespace memtrace::preload
