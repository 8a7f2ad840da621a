// SPDX-License-Identifier: Apache-2.0
//
// A thread's lane: the ring that it writes to, and what recording remembers about the thread. A
// thread takes a lane at its first event and keeps it. When the thread is gone, the next new thread
// takes the lane over, so a program with a million short threads has as many lanes as it ever had
// threads at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "memtrace/dump/format.h"
#include "preload/base/thread_state.h"
#include "preload/recording/ended_lanes.h"
#include "preload/stack/autograd_node.h"
#include "preload/stack/stack_capture.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {

// Events of a signal handler that interrupted the recording of another event. They wait here until
// that event is written. The interrupting handler adds events, and the interrupted code writes
// them.
struct Deferred {
    static constexpr uint32_t capacity = 1024;
    enum class Kind : uint8_t { acquire, release, map, unmap, remap };
    struct Event {
        Kind kind;
        Api api;
        MapClass map_class;  // map
        MapPurpose purpose;  // map
        uint8_t level;       // acquire: of the sample; 0: every block is recorded
        uint64_t time;
        uint64_t address;
        uint64_t size;
        uint64_t old_address;  // remap
        uint64_t old_size;     // remap
    };
    std::atomic<uint32_t> count{0};
    Event events[capacity];

    // Returns false if there is no room.
    bool add(const Event& event) {
        const uint32_t place = count.fetch_add(1, std::memory_order_relaxed);
        if (place >= capacity) return false;
        events[place] = event;
        return true;
    }

    // Takes over all events of another thread's queue, to which no handler adds any more.
    void append(Deferred& other) {
        const uint32_t waiting = other.count.exchange(0, std::memory_order_relaxed);
        for (uint32_t i = 0; i < waiting && i < capacity; ++i) add(other.events[i]);
    }
};

class ThreadLane : public Lane {
public:
    // Returns this thread's lane and takes one if it has none. Returns nullptr if no lane is
    // available; recording has then been stopped.
    static ThreadLane* of_this_thread() {
        ThreadLane* const lane = taken();
        if (lane != nullptr && !lane->is_outgrown()) [[likely]]
            return lane;
        return replace(lane);
    }

    // Returns this thread's lane, or nullptr if it has taken none. Every lane that a thread takes
    // is a ThreadLane.
    static ThreadLane* taken() { return static_cast<ThreadLane*>(thread_state.lane); }

    // Makes every other thread leave the shim, and waits for that. The recording has been stopped,
    // so none comes back. Returns false if a thread was still inside after a second. If the state
    // of other threads may not be read (sys::copy_memory), each is given a little time.
    static bool send_away(bool may_look);

    // To be called when the shim is loaded: libc has room for the first 32 keys of a program only.
    static void prepare_thread_ends();

    // Forgets all lanes; a forked child must not touch its parent's.
    static void forget_all();

    // Calls visit(lane) for every lane, owned or not.
    template <class Visit>
    static void for_each(Visit&& visit) {
        const uint32_t count = count_.load(std::memory_order_acquire);
        for (uint32_t i = 0; i < count && i < lanes_max; ++i) {
            if (ThreadLane* lane = lanes_[i].load(std::memory_order_acquire)) visit(*lane);
        }
    }

    // Returns the id of the stack of the hook with the frame pointer `frame`.
    uint32_t capture_stack(const void* frame) {
        return preload::capture_stack(*this, stacks_, frame);
    }

    // Returns an address in the stack of the thread that took the lane last.
    uint64_t stack_address() const { return stack_address_.load(std::memory_order_relaxed); }
    int owner() const { return owner_.load(std::memory_order_relaxed); }
    // Events that signal handlers left while this thread was writing another record.
    Deferred& deferred() { return deferred_; }
    void write_deferred();
    void write_deferred_event(const Deferred::Event& event);
    StackCaptureState& stacks() { return stacks_; }
    AutogradWatch& autograd() { return autograd_; }
    const uint64_t& recognised_stacks() const { return stacks_.stack_cache.hits(); }
    // Bytes of what is remembered about the thread's last stacks.
    uint64_t stack_bytes() const {
        return stacks_.walker.table_bytes() + stacks_.stack_cache.arena().bytes();
    }
    const StackWalker::Counts& walk_counts() const { return stacks_.walker.counts; }
    const PythonWalker::Counts& python_counts() const { return stacks_.python.counts(); }

    // Writes the name of this thread if it is not the name that was written last.
    void note_thread_name();

    // Called when a signal handler interrupted this lane at any point and left it by a jump.
    void restart_after_jump();

    // Called when the thread is about to end. Events may still follow.
    void note_thread_end();

private:
    static constexpr uint32_t lanes_max = EndedLanes::lanes_max;
    static constexpr uint32_t small_slots = 1024;

    static ThreadLane* take(Size size);
    static ThreadLane* take_unless_none(Size size);
    static ThreadLane* take_ended(Size size, int tid);
    static ThreadLane* take_abandoned(Size size, int tid);
    static bool find_ended();
    bool take_over(Size size, int tid);
    static ThreadLane* make(Size size, int tid);
    static ThreadLane* replace(ThreadLane* outgrown);

    ThreadLane(const Ring& ring, uint32_t number, Size size, int tid);
    void begin_thread(int tid, uint64_t now);
    void forget_stacks();
    bool is_owner_inside() const;

    static std::atomic<ThreadLane*> lanes_[lanes_max];
    static std::atomic<uint32_t> count_;
    static EndedLanes ended_[2];  // by Size

    StackCaptureState stacks_;
    // Its count is the last word that every event reads: all of them lie in one page.
    Deferred deferred_;
    std::atomic<int> owner_{0};  // tid; stays until another thread takes over
    std::atomic<uint64_t> stack_address_{0};
    std::atomic<const ThreadState*> state_{nullptr};  // the owner's
    char name_[16] = {};
    AutogradWatch autograd_;
    Scratch scratch_;
};

}  // namespace memtrace::preload
