// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/thread_lane.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "preload/base/clock.h"
#include "preload/base/held_signals.h"
#include "preload/base/options.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/recording/stamp_order.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {

std::atomic<ThreadLane*> ThreadLane::lanes_[lanes_max];
std::atomic<uint32_t> ThreadLane::count_;
EndedLanes ThreadLane::ended_[2];

namespace {

// Called by pthread when a thread ends, before or after the program's own destructors. This is
// only a hint: the lane stays the thread's until the kernel reports that the thread is gone.
void on_thread_end(void* lane) {
    if (thread_state.lane != lane || thread_state.inside != ThreadMode::program) return;
    enter_record(thread_state);
    if (recording() == Recording::on) {
        ThreadLane& ending = *static_cast<ThreadLane*>(lane);
        ending.note_thread_end();
        ending.write_deferred();
    }
    thread_state.inside = ThreadMode::program;
}

pthread_key_t thread_end_key() {
    static pthread_key_t key;
    static bool made = pthread_key_create(&key, on_thread_end) == 0;
    return made ? key : static_cast<pthread_key_t>(-1);
}

// Tells pthread to call on_thread_end(). libc has room for the values of the first 32 keys in each
// thread. For later ones it allocates a block, which nobody would record, and in which the
// program's own values would lie: a search for lost blocks would not find these. So that is not
// done then: the kernel tells later that a thread has ended.
void remember_in_thread(ThreadLane* lane) {
    constexpr pthread_key_t keys_with_room = 32;
    const pthread_key_t key = thread_end_key();
    if (key >= keys_with_room) return;
    const LibraryScope scope;
    pthread_setspecific(key, lane);
}

}  // namespace

void ThreadLane::prepare_thread_ends() { thread_end_key(); }

ThreadLane::ThreadLane(const Ring& ring, uint32_t number, Size size, int tid)
    : Lane(ring, number, size, scratch_) {
    stacks_.autograd = &autograd_;
    owner_.store(tid, std::memory_order_relaxed);
}

ThreadLane* ThreadLane::replace(ThreadLane* outgrown) {
    if (recording() == Recording::stopped) return nullptr;
    if (outgrown == nullptr) return take(Size::small);
    ThreadLane* larger = take(Size::large);
    if (larger == nullptr) {
        outgrown->keep_small();  // It works, with more and smaller chunks.
        return outgrown;
    }
    // Takes along the events that a signal handler left while this thread took the larger lane.
    larger->deferred_.append(outgrown->deferred_);
    StampOrder::move(*outgrown, *larger);
    outgrown->keep_small();
    outgrown->owner_.store(0, std::memory_order_release);
    ended_[static_cast<size_t>(outgrown->size())].add(outgrown->number());
    return larger;
}

ThreadLane* ThreadLane::take(Size size) {
    // A handler must find a complete lane, so it waits.
    const BlockedSignals quiet(signals_that_can_wait);
    // A handler may just have come and taken a lane (record.cpp, defer()).
    if (size == Size::small && thread_state.lane != nullptr) return taken();
    const int errno_before = errno;  // pthread functions may set it.
    ThreadLane* lane = take_unless_none(size);
    errno = errno_before;
    return lane;
}

ThreadLane* ThreadLane::take_unless_none(Size size) {
    const int tid = sys::tid();
    ThreadLane* lane = take_ended(size, tid);
    if (lane == nullptr) lane = take_abandoned(size, tid);
    if (lane == nullptr && find_ended()) lane = take_ended(size, tid);
    if (lane == nullptr && size == Size::large && !dump_file::has_room_for_ring(options.ring)) {
        return nullptr;
    }
    if (lane == nullptr) lane = make(size, tid);
    if (lane == nullptr) {
        stop_without_room("no room for another thread's events");
        return nullptr;
    }
    StampOrder::join(*lane);
    const uint64_t now = lane->stamp(ticks_now());
    thread_state.lane = lane;
    lane->begin_thread(tid, now);
    return lane;
}

// A lane under this thread's tid belonged to a dead thread that had the same number before.
bool ThreadLane::take_over(Size size, int tid) {
    if (this->size() != size || this == thread_state.lane) return false;
    int owner = owner_.load(std::memory_order_acquire);
    const bool abandoned = owner == 0 || owner == tid || !sys::thread_exists(sys::pid(), owner);
    if (!abandoned || !owner_.compare_exchange_strong(owner, tid)) return false;
    ended_[static_cast<size_t>(size)].remove(number());
    return true;
}

// Takes a lane of a thread that said that it ends, and is gone now, or returns nullptr.
ThreadLane* ThreadLane::take_ended(Size size, int tid) {
    constexpr uint32_t looks_max = 256;  // Destructors of these threads may still run.
    uint32_t looks = 0;
    ThreadLane* found = nullptr;
    ended_[static_cast<size_t>(size)].find(
        count_.load(std::memory_order_acquire), [&](uint32_t number) {
            ThreadLane* const lane = lanes_[number].load(std::memory_order_acquire);
            if (lane != nullptr && lane->take_over(size, tid)) found = lane;
            return found != nullptr || ++looks == looks_max;
        });
    return found;
}

// Takes a lane of a thread that is gone and did not say so, or returns nullptr. The search begins
// at other lanes each time and looks at a few only, so that a program with many threads does not
// query the kernel about all of them for each new thread.
ThreadLane* ThreadLane::take_abandoned(Size size, int tid) {
    static std::atomic<uint32_t> search_start{0};
    constexpr uint32_t looks_max = 64;
    const uint32_t count = count_.load(std::memory_order_acquire);
    if (count == 0) return nullptr;
    const uint32_t start = search_start.fetch_add(looks_max, std::memory_order_relaxed);
    for (uint32_t i = 0; i < count && i < looks_max; ++i) {
        ThreadLane* lane = lanes_[(start + i) % count].load(std::memory_order_acquire);
        if (lane != nullptr && lane->take_over(size, tid)) return lane;
    }
    return nullptr;
}

// Looks at all lanes for threads that did not say that they end, whenever there are a quarter more
// lanes than at the last such look. So their number stays near that of the threads that live at a
// time. Returns true if it looked.
bool ThreadLane::find_ended() {
    static std::atomic<uint32_t> last_count{0};
    constexpr uint32_t more_min = 64;
    const uint32_t count = count_.load(std::memory_order_acquire);
    uint32_t before = last_count.load(std::memory_order_relaxed);
    if (before > count) before = 0;  // the parent's, after a fork
    if (count < before + std::max(more_min, before / 4) ||
        last_count.exchange(count, std::memory_order_relaxed) == count) {
        return false;
    }
    const int process = sys::pid();
    for_each([process](const ThreadLane& lane) {
        EndedLanes& ended = ended_[static_cast<size_t>(lane.size())];
        if (ended.has(lane.number())) return;
        const int owner = lane.owner();
        if (owner == 0 || !sys::thread_exists(process, owner)) ended.add(lane.number());
    });
    return true;
}

ThreadLane* ThreadLane::make(Size size, int tid) {
    const uint32_t number = count_.fetch_add(1, std::memory_order_acq_rel);
    if (number >= lanes_max) {
        count_.store(lanes_max, std::memory_order_release);
        return nullptr;
    }
    const uint32_t slots = size == Size::small ? small_slots : static_cast<uint32_t>(options.ring);
    void* ring = dump_file::add_ring(number, slots);
    void* memory = ring == nullptr ? nullptr : sys::map_private(sizeof(ThreadLane));
    if (memory == nullptr) return nullptr;
    auto* const lane = new (memory) ThreadLane(Ring(ring, slots, number), number, size, tid);
    lanes_[number].store(lane, std::memory_order_release);
    return lane;
}

// A thread that has just seen that the recording is on says that it is inside, and then looks at
// its lane. Here the lane is changed first and the thread looked at then. The barrier makes both
// see the other's write without a barrier in each event: either the thread is seen, or it finds its
// lane outgrown, wants another, and gets none.
bool ThreadLane::send_away(bool may_look) {
    constexpr uint64_t wait_ns_max = 1'000'000'000;
    constexpr uint64_t wait_ns_blind = 20'000'000;
    for_each([](ThreadLane& lane) { lane.set_outgrown(true); });
    const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    const auto waited = [begin] { return clock_ns(CLOCK_MONOTONIC) - begin; };
    const bool has_barrier = sys::call(SYS_membarrier, MEMBARRIER_CMD_GLOBAL) == 0;
    while ((!has_barrier || !may_look) && waited() < wait_ns_blind) sys::call(SYS_sched_yield);
    if (!may_look) return true;
    bool have_all_left = true;
    for_each([&](const ThreadLane& lane) {
        while (lane.is_owner_inside() && waited() < wait_ns_max) sys::call(SYS_sched_yield);
        have_all_left = have_all_left && !lane.is_owner_inside();
    });
    return have_all_left;
}

// The state lies in the thread's own memory, which may go with the thread at any moment.
bool ThreadLane::is_owner_inside() const {
    const int tid = owner();
    const ThreadState* state = state_.load(std::memory_order_relaxed);
    if (tid == 0 || state == nullptr || state == &thread_state) return false;
    ThreadMode inside = ThreadMode::program;
    if (sys::copy_memory(&inside, &state->inside, sizeof inside) != 0) return false;
    return inside != ThreadMode::program && sys::thread_exists(sys::pid(), tid);
}

void ThreadLane::forget_all() {
    const uint32_t count = count_.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count && i < lanes_max; ++i) lanes_[i].store(nullptr);
    count_.store(0);
    for (EndedLanes& ended : ended_) ended.clear();
    StampOrder::forget_all();
}

void ThreadLane::begin_thread(int tid, uint64_t now) {
    stack_address_.store(reinterpret_cast<uint64_t>(__builtin_frame_address(0)),
                         std::memory_order_relaxed);
    state_.store(&thread_state, std::memory_order_relaxed);
    ThreadStart start;
    start.time = now;
    start.tid = static_cast<uint64_t>(tid);
    put_long(start);
    name_[0] = 0;
    forget_stacks();
    autograd_ = {};  // The reader, too, assumes that the new thread runs no node.
    note_thread_name();
    remember_in_thread(this);
}

// What was remembered about the thread's stacks no longer holds.
void ThreadLane::forget_stacks() {
    stacks_.walker.forget_thread();
    stacks_.stack_cache.clear();
    stacks_.python.forget_thread();
}

// What was interrupted may be half done. Slots that were not published yet are written again, and
// the stacks are walked anew.
void ThreadLane::restart_after_jump() {
    ring().finish_after_jump();
    forget_stacks();
    stacks_.generation = 0;
    stacks_.last_memo = nullptr;
    stacks_.found = nullptr;
    stacks_.python_kept = 0;
    stacks_.python.flag().lower();
}

void ThreadLane::write_deferred_event(const Deferred::Event& event) {
    using Kind = Deferred::Kind;
    const uint64_t time = stamp(event.time);
    const auto stack = [this] { return cut_stack(*this, nullptr, Cut::nested); };
    switch (event.kind) {
        case Kind::acquire:
            if (event.level != 0 && event.level != sample_level(event.api)) {
                note_sample_level(event.api, event.level);
            }
            put_long(Acquire{time, event.api, stack(), event.size, event.address});
            break;
        case Kind::release: put(pack_slot(Release{time, event.api, event.address})); break;
        case Kind::map:
            put_long(Map{.time = time,
                         .api = event.api,
                         .map_class = event.map_class,
                         .address = event.address,
                         .size = event.size,
                         .stack = stack(),
                         .purpose = event.purpose});
            break;
        case Kind::unmap: put_long(Unmap{time, event.api, event.address, event.size}); break;
        case Kind::remap:
            put_long(Remap{.time = time,
                           .api = event.api,
                           .old_address = event.old_address,
                           .old_size = event.old_size,
                           .address = event.address,
                           .size = event.size,
                           .stack = stack()});
            break;
    }
}

void ThreadLane::write_deferred() {
    uint32_t written = 0;
    uint32_t count = deferred_.count.load(std::memory_order_relaxed);
    // Another handler may come at any moment and append. The places start again at 0 only when
    // everything up to the last event has been written.
    do {
        for (; written < count && written < Deferred::capacity; ++written) {
            write_deferred_event(deferred_.events[written]);
        }
    } while (!deferred_.count.compare_exchange_strong(count, 0, std::memory_order_relaxed));
}

void ThreadLane::note_thread_name() {
    char name[16] = {};
    sys::call(SYS_prctl, PR_GET_NAME, sys::address_of(name));
    if (std::memcmp(name, name_, sizeof name) == 0) return;
    std::memcpy(name_, name, sizeof name);
    ThreadName record;
    record.time = stamp(ticks_now());
    record.text = Text(name, strnlen(name, sizeof name));
    put_long(record);
}

void ThreadLane::note_thread_end() {
    note_thread_name();
    ThreadEnd record;
    record.time = stamp(ticks_now());
    put_long(record);
    // A thread that takes the lane over reads its owner first, and then sees all of this.
    owner_.store(owner_.load(std::memory_order_relaxed), std::memory_order_release);
    ended_[static_cast<size_t>(size())].add(number());
}

}  // namespace memtrace::preload
