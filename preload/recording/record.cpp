// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/record.h"

#include <cstring>

#include "preload/base/clock.h"
#include "preload/base/recording_state.h"
#include "preload/python/python_invalidation.h"
#include "preload/recording/event_scope.h"
#include "preload/recording/host_look.h"
#include "preload/recording/object_call.h"
#include "preload/recording/thread_lane.h"
#include "preload/stack/stack_table.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {
namespace {

uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

void defer(const Deferred::Event& event) {
    ThreadLane* lane = ThreadLane::taken();
    // The handler came just before the thread's first event would have taken a lane.
    if (lane == nullptr) lane = ThreadLane::of_this_thread();
    if (lane == nullptr || !lane->deferred().add(event)) dump_file::count_lost_events(1);
}

Deferred::Event acquire_event(Api api, uint64_t time, const void* block, size_t size,
                              unsigned level = 0) {
    Deferred::Event event{};
    event.level = static_cast<uint8_t>(level);
    event.kind = Deferred::Kind::acquire;
    event.api = api;
    event.time = time;
    event.address = number_of(block);
    event.size = size;
    return event;
}

Deferred::Event release_event(Api api, uint64_t time, uint64_t address) {
    Deferred::Event event{};
    event.kind = Deferred::Kind::release;
    event.api = api;
    event.time = time;
    event.address = address;
    return event;
}

Deferred::Event map_event(Deferred::Kind kind, Api api, uint64_t time, const void* address,
                          size_t size) {
    Deferred::Event event{};
    event.kind = kind;
    event.api = api;
    event.time = time;
    event.address = number_of(address);
    event.size = size;
    return event;
}

// Other threads read the count now and then (stamp_order.cpp).
void count_acquisition(Lane& lane) {
    __atomic_store_n(&lane.acquisitions(), lane.acquisitions() + 1, __ATOMIC_RELAXED);
}

// Writes a record with a first moment before the real call. No record of this thread lies between
// the two moments, unless a signal handler allocated meanwhile; then this record moves behind
// that one.
template <class Record>
void put_span(ThreadLane& lane, EventScope& event, Record record, uint64_t time) {
    const uint64_t now = ticks_now();
    record.time = lane.stamp(time);
    if constexpr (requires { record.duration; }) {
        record.duration = now > record.time ? now - record.time : 0;
    }
    event.lost_unless(lane.put_long(record));
    sample_if_due(lane, now);
}

PythonEndObserver python_end_observer;

void put_work_end(ThreadLane& lane, WorkEndKind kind) {
    WorkEnd record;
    record.time = lane.stamp(ticks_now());
    record.kind = kind;
    lane.put_long(record);
    look_at_host_when_work_ends(lane);
    if (kind == WorkEndKind::python && python_end_observer != nullptr) python_end_observer(lane);
}

// Called before something is released. An interpreter that ends must wait for threads that walk
// its frames, and what it releases from here on was held while the program worked.
inline void await_python_end(ThreadLane& lane) {
    if (await_walks_at_python_end(&lane.stacks().python.flag())) [[unlikely]] {
        put_work_end(lane, WorkEndKind::python);
    }
}

// `level`: a constant 0 where every block is recorded.
[[gnu::always_inline]] inline void put_acquire(Api api, const void* block, size_t size,
                                               const void* frame, unsigned level = 0) {
    EventScope event;
    if (event.is_nested()) {
        defer(acquire_event(api, ticks_now(), block, size, level));
        return;
    }
    if (!event) return;
    ThreadLane& lane = event.lane();
    const uint32_t stack = lane.capture_stack(frame);
    if (level != 0 && level != lane.sample_level(api)) lane.note_sample_level(api, level);
    // Stamped last: until this call returns, no other thread can know the block.
    const uint64_t time = event.stamp();
    const Acquire record{time, api, stack, size, number_of(block)};
    event.lost_unless(fits_slot(record) ? lane.put(pack_slot(record)) : lane.put_long(record));
    count_acquisition(lane);
    sample_if_due(lane, time);
}

}  // namespace

[[gnu::hot]] void record_acquire(Api api, const void* block, size_t size, const void* frame) {
    ObjectCall::note_taken(block);
    put_acquire(api, block, size, frame);
}

void record_sampled_acquire(Api api, const void* block, size_t size, const void* frame,
                            unsigned level) {
    ObjectCall::note_taken(block);
    put_acquire(api, block, size, frame, level);
}

void record_object_acquire(Api api, const void* object, size_t size, const void* frame,
                           unsigned level) {
    put_acquire(api, object, size, frame, level);
}

uint64_t moment_of_release() {
    const Lane* const lane = thread_state.lane;
    return lane != nullptr && !StampOrder::has_to_wait(*lane) ? ticks_soon() : ticks_now();
}

void record_object_release(const Release& release) {
    EventScope event;
    if (event.is_nested()) {
        defer(release_event(release.api, release.time, release.address));
        return;
    }
    if (!event) return;
    ThreadLane& lane = event.lane();
    await_python_end(lane);
    const Release record{lane.stamp(release.time), release.api, release.address};
    event.lost_unless(fits_slot(record) ? lane.put(pack_slot(record)) : lane.put_long(record));
    sample_if_due(lane, record.time);
}

void record_python_objects(PythonObjectsState state, uint64_t interval, Text why) {
    EventScope event;
    if (!event) return;
    PythonObjects record;
    record.time = event.lane().stamp(ticks_now());
    record.state = state;
    record.interval = interval;
    record.why = why;
    event.lane().put_long(record);
    event.lane().secure();  // It tells how objects of all lanes count.
}

void pass_release() {
    if (recording() != Recording::on || thread_state.inside != ThreadMode::program) return;
    note_python_end();
}

void count_lost_event() {
    if (is_recording()) dump_file::count_lost_events(1);
}

[[gnu::hot]] void record_release(Api api, const void* block) {
    ObjectCall::note_given(block);
    EventScope event;
    if (event.is_nested()) {
        defer(release_event(api, ticks_now(), number_of(block)));
        return;
    }
    if (!event) return;
    ThreadLane& lane = event.lane();
    await_python_end(lane);
    const uint64_t time = event.stamp();
    const Release record{time, api, number_of(block)};
    event.lost_unless(fits_slot(record) ? lane.put(pack_slot(record)) : lane.put_long(record));
    sample_if_due(lane, time);
}

ResizeStart begin_resize(const void* frame) {
    EventScope event;
    if (event.is_nested()) return {ticks_now(), no_stack, true, true};
    if (!event) return {};
    const uint32_t stack = event.lane().capture_stack(frame);
    return {ticks_now(), stack, true, false};
}

void record_resize(const ResizeStart& start, Api api, const void* old_block, const void* block,
                   size_t size) {
    ObjectCall::note_given(old_block);
    ObjectCall::note_taken(block);
    if (!start.active) return;
    if (start.nested) {
        defer(release_event(api, start.time, number_of(old_block)));
        defer(acquire_event(api, ticks_now(), block, size));
        return;
    }
    EventScope event;
    if (!event) return;
    Resize record;
    record.api = api;
    record.stack = start.stack;
    record.size = size;
    record.old_address = number_of(old_block);
    record.address = number_of(block);
    count_acquisition(event.lane());
    put_span(event.lane(), event, record, start.time);
}

void record_map(Api api, const void* address, size_t size, MapClass map_class, MapPurpose purpose,
                const void* frame) {
    EventScope event;
    if (event.is_nested()) {
        Deferred::Event map = map_event(Deferred::Kind::map, api, ticks_now(), address, size);
        map.map_class = map_class;
        map.purpose = purpose;
        defer(map);
    }
    if (!event) return;
    ThreadLane& lane = event.lane();
    Map record;
    record.stack = lane.capture_stack(frame);
    record.api = api;
    record.map_class = map_class;
    record.purpose = purpose;
    record.address = number_of(address);
    record.size = size;
    put_span(lane, event, record, ticks_now());
}

uint64_t moment_before() {
    note_python_end();
    return ticks_now();
}

void record_unmap(uint64_t time, Api api, const void* address, size_t size) {
    if (const Release* release = ObjectCall::release_before_unmap()) [[unlikely]] {
        record_object_release(*release);
    }
    EventScope event;
    if (event.is_nested()) {
        defer(map_event(Deferred::Kind::unmap, api, time, address, size));
    }
    if (!event) return;
    Unmap record;
    record.api = api;
    record.address = number_of(address);
    record.size = size;
    put_span(event.lane(), event, record, time);
}

void record_remap(const ResizeStart& start, Api api, const void* old_address, size_t old_size,
                  const void* address, size_t size) {
    if (!start.active) return;
    if (start.nested) {
        Deferred::Event remap = map_event(Deferred::Kind::remap, api, start.time, address, size);
        remap.old_address = number_of(old_address);
        remap.old_size = old_size;
        defer(remap);
        return;
    }
    EventScope event;
    if (!event) return;
    Remap record;
    record.api = api;
    record.stack = start.stack;
    record.old_address = number_of(old_address);
    record.old_size = old_size;
    record.address = number_of(address);
    record.size = size;
    put_span(event.lane(), event, record, start.time);
}

void record_tensor_acquire(TensorAcquire record, const void* frame) {
    EventScope event;
    if (event.is_nested()) dump_file::count_lost_events(1);
    if (!event) return;
    ThreadLane& lane = event.lane();
    record.stack = lane.capture_stack(frame);
    record.time = event.stamp();
    event.lost_unless(lane.put_long(record));
    count_acquisition(lane);
    sample_if_due(lane, record.time);
}

void record_tensor_release(TensorRelease record) {
    EventScope event;
    if (event.is_nested()) dump_file::count_lost_events(1);
    if (!event) return;
    record.time = event.stamp();
    event.lost_unless(event.lane().put_long(record));
    sample_if_due(event.lane(), record.time);
}

void record_tensor_refused(TensorRefused record, const void* frame) {
    EventScope event;
    if (event.is_nested()) dump_file::count_lost_events(1);
    if (!event) return;
    record.stack = event.lane().capture_stack(frame);
    record.time = event.stamp();
    event.lost_unless(event.lane().put_long(record));
}

void record_fork(int child_pid) {
    dump_file::count_child();
    EventScope event;
    if (!event) return;
    Fork record;
    record.time = event.lane().stamp(ticks_now());
    record.child_pid = static_cast<uint64_t>(child_pid);
    event.lane().put_long(record);
}

void record_mark(Mark mark) {
    constexpr size_t domain_max = 1024;
    static_assert(mark_text_max + domain_max <= long_text_max);
    EventScope event;
    if (event.is_nested()) dump_file::count_lost_events(1);
    if (!event) return;
    mark.text = mark.text.substr(0, mark_text_max);
    mark.domain = mark.domain.substr(0, domain_max);
    mark.time = event.lane().stamp(ticks_now());
    event.lost_unless(event.lane().put_long(mark));
}

void set_python_end_observer(PythonEndObserver observer) { python_end_observer = observer; }

void record_work_end(WorkEndKind kind) {
    EventScope event;
    if (event) put_work_end(event.lane(), kind);
}

void note_python_end() {
    ThreadLane* const lane = ThreadLane::taken();
    if (await_walks_at_python_end(lane == nullptr ? nullptr : &lane->stacks().python.flag())) {
        record_work_end(WorkEndKind::python);
    }
}

void record_note(Text subject, Text text) {
    EventScope event;
    if (!event) return;
    Note record;
    record.time = event.lane().stamp(ticks_now());
    record.subject = subject;
    record.text = text;
    event.lane().put_long(record);
}

}  // namespace memtrace::preload
