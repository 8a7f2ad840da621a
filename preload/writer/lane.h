// SPDX-License-Identifier: Apache-2.0
//
// A lane: one ring and all that its thread needs to fill it. A thread takes a lane at its first
// event and keeps it; when the thread is gone, the next new thread takes the lane over, so that a
// program with a million short threads has as many lanes as it ever had threads at a time.
//
// A thread starts with a small ring, because most threads say little, and moves to a lane with a
// large one when the small one is full for the first time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "memtrace/dump/format.h"
#include "preload/base/fixed_text.h"
#include "preload/base/thread_state.h"
#include "preload/stack/autograd_node.h"
#include "preload/stack/stack_capture.h"
#include "preload/writer/chunk_writer.h"
#include "preload/writer/ring.h"

namespace memtrace::preload {

// Events of a signal handler that interrupted the recording of another event: they wait here until
// that one is written. Filled by the interrupting handler, emptied by the interrupted code.
struct Deferred {
    static constexpr uint32_t capacity = 1024;
    struct Event {
        bool is_release;
        Api api;
        uint64_t time;
        uint64_t address;
        uint64_t size;
    };
    std::atomic<uint32_t> count{0};
    Event events[capacity];

    // False: there is no place left.
    bool add(const Event& event) {
        const uint32_t place = count.fetch_add(1, std::memory_order_relaxed);
        if (place >= capacity) return false;
        events[place] = event;
        return true;
    }

    // Takes over all events of another one that nobody fills any more.
    void append(Deferred& other) {
        const uint32_t waiting = other.count.exchange(0, std::memory_order_relaxed);
        for (uint32_t i = 0; i < waiting && i < capacity; ++i) add(other.events[i]);
    }
};

class Lane {
public:
    enum class Size : uint8_t { small, large };

    // The lane of this thread, taken now if it has none. nullptr: there is none to be had, and
    // recording has been stopped.
    static Lane* of_this_thread() {
        Lane* lane = thread_state.lane;
        if (lane != nullptr && !lane->outgrown_) [[likely]]
            return lane;
        return replace(lane);
    }

    // Forgets all lanes; a forked child must not touch its parent's.
    static void forget_all();

    // Calls visit(lane) for every lane there is, whoever owns it.
    template <class Visit>
    static void for_each(Visit&& visit) {
        const uint32_t count = count_.load(std::memory_order_acquire);
        for (uint32_t i = 0; i < count && i < lanes_max; ++i) {
            if (Lane* lane = lanes_[i].load(std::memory_order_acquire)) visit(*lane);
        }
    }

    // Writes a one-slot record. Times must not decrease: see stamp(). False: it could not be
    // written, and recording has been stopped.
    bool put(const Slot& slot) {
        if (ring_.free_slots() < 1 + spare_slots && !make_room(1)) [[unlikely]]
            return false;
        ring_.put(slot);
        return true;
    }

    // Writes any record as a long one. False: as above, or the record is too long.
    template <class Record>
    bool put_long(const Record& record) {
        if (row_bytes(record) > sizeof row_) return false;
        const auto size = static_cast<size_t>(write_row(row_, record) - row_);
        const uint32_t slots = long_record_slots(size);
        if (ring_.free_slots() < slots + spare_slots && !make_room(slots)) return false;
        write_long(Record::tag, row_, size);
        return true;
    }

    // Moves all records from the ring into chunks. Returns false if the file cannot take them.
    bool drain() { return preload::drain(ring_, number_, drained_time_); }

    // The last word of a recording that has to stop: uses the slots that put() leaves free.
    void put_last_note(const Note& note);

    // The larger of `time` and the last stamp: times in a lane never go back.
    uint64_t stamp(uint64_t time) {
        if (time < last_time_) time = last_time_;
        last_time_ = time;
        return time;
    }

    uint32_t number() const { return number_; }
    int owner() const { return owner_.load(std::memory_order_relaxed); }
    uint64_t& acquisitions() { return acquisitions_; }
    // What signal handlers left behind while this thread was writing something else.
    Deferred& deferred() { return deferred_; }
    void write_deferred();
    Ring& ring() { return ring_; }
    Path& path_scratch() { return path_scratch_; }
    StackCaptureState& stacks() { return stacks_; }
    AutogradWatch& autograd() { return autograd_; }
    const uint64_t& recognised_stacks() const { return stacks_.stack_cache.hits(); }
    // What it remembers of its last stacks.
    uint64_t stack_bytes() const {
        return stacks_.walker.table_bytes() + stacks_.stack_cache.arena().bytes();
    }
    const StackWalker::Counts& walk_counts() const { return stacks_.walker.counts; }
    const PythonWalker::Counts& python_counts() const { return stacks_.python.counts(); }

    // Writes the name of this thread if it is not the one written last.
    void note_thread_name();

    // The thread says that it is about to end; events may still follow.
    void note_thread_end();

private:
    static constexpr uint32_t lanes_max = 1u << 16;
    static constexpr uint32_t small_slots = 1024;
    static constexpr uint32_t spare_slots = 32;

    static Lane* take(Size size);
    static Lane* take_unless_none(Size size);
    static Lane* take_abandoned(Size size, int tid);
    static Lane* make(Size size, int tid);
    static Lane* replace(Lane* outgrown);
    void begin_thread(int tid);
    bool make_room(uint32_t slots);
    void write_long(uint8_t tag, const uint8_t* bytes, size_t size);

    static std::atomic<Lane*> lanes_[lanes_max];
    static std::atomic<uint32_t> count_;

    Ring ring_;
    uint64_t last_time_ = 0;
    uint64_t drained_time_ = 0;  // of the last record in a chunk: nodes have no time of their own
    uint32_t number_ = 0;
    Size size_ = Size::small;
    bool outgrown_ = false;
    uint64_t acquisitions_ = 0;
    std::atomic<int> owner_{0};  // tid; stays when the thread is gone, until another takes over
    StackCaptureState stacks_;
    // Its count is the last of what every event reads: all of that lies in one page.
    Deferred deferred_;
    char name_[16] = {};
    AutogradWatch autograd_;
    // Scratch memory: the program's stack may be a small one, and is not ours to fill.
    uint8_t row_[long_text_max + 256];
    Path path_scratch_;
};

// Stops recording after an internal failure. The program continues. Reports `why` on stderr and in
// the dump.
void stop_recording(std::string_view why);

}  // namespace memtrace::preload
