// SPDX-License-Identifier: Apache-2.0
//
// A lane: one ring, and what writing records to it takes. recording/thread_lane.h adds the thread
// that owns the lane.
//
// Everything that an event reads or writes comes first, here and in ThreadLane, and lies in one
// page.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "memtrace/dump/format.h"
#include "memtrace/dump/long_record.h"
#include "preload/base/fixed_text.h"
#include "preload/base/thread_state.h"
#include "preload/writer/chunk_writer.h"
#include "preload/writer/ring.h"

namespace memtrace::preload {

class Lane {
public:
    // A thread starts with a small ring, because most threads record little, and moves to a lane
    // with a large ring when the small ring is full for the first time.
    enum class Size : uint8_t { small, large };

    // Memory for records and paths. The program's stack may be small, and is not ours to fill.
    struct Scratch {
        uint8_t row[long_text_max + 256];
        Path path;
    };

    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    // Writes a one-slot record. Times must not decrease (see stamp()). Returns false if the record
    // could not be written; recording has then been stopped.
    bool put(const Slot& slot) {
        if (ring_.free_slots() < 1 + spare_slots && !make_room(1)) [[unlikely]]
            return false;
        ring_.put(slot);
        return true;
    }

    // Writes any record as a long record. Returns false as put() does, and if the record is too
    // long.
    template <class Record>
    bool put_long(const Record& record) {
        uint8_t* const row = scratch_->row;
        if (row_bytes(record) > sizeof scratch_->row) return false;
        const auto size = static_cast<size_t>(write_row(row, record) - row);
        const uint32_t slots = long_record_slots(size);
        if (ring_.free_slots() < slots + spare_slots && !make_room(slots)) return false;
        write_long(Record::tag, row, size);
        return true;
    }

    // Call after a definition that events of other lanes will refer to: their chunks may be in the
    // file first. A ring in memory of the process is lost at a kill, and the definition with it.
    void secure() {
        if (own_stacks_ != 0) [[unlikely]]
            drain();
    }

    // 0: stacks that any lane has defined serve all of them. Else each lane defines the stacks of
    // its own events, because its ring is in memory of the process, and what another lane has
    // defined may be lost at a kill. The number distinguishes the lane's stacks from others'.
    uint64_t own_stacks() const { return own_stacks_; }

    // Moves all records from the ring into chunks. Returns false if the file cannot take them.
    bool drain() { return preload::drain(ring_, number_, drained_time_); }

    // Writes the last record of a recording that must stop, into the slots that put() leaves free.
    void put_last_note(const Note& note);

    // Returns the larger of `time` and the last stamp: times in a lane never decrease.
    uint64_t stamp(uint64_t time) {
        if (time < last_time_) time = last_time_;
        last_time_ = time;
        return time;
    }

    // The level at which the sample of this lane's acquisitions is chosen, as the dump says it;
    // 0: it has all of them.
    unsigned sample_level(Api api) const {
        return is_object_api(api) ? object_level_ : heap_level_;
    }
    // Writes that the lane's next acquisitions are chosen at this level.
    void note_sample_level(Api api, unsigned level);

    uint32_t number() const { return number_; }
    Size size() const { return size_; }
    uint64_t& acquisitions() { return acquisitions_; }
    Ring& ring() { return ring_; }
    Path& path_scratch() { return scratch_->path; }

    // True if a small ring has been full. The thread should then move to a large lane.
    bool is_outgrown() const { return outgrown_.load(std::memory_order_relaxed); }
    // Resets is_outgrown(), until the ring is full again.
    void keep_small() { set_outgrown(false); }

protected:
    Lane(const Ring& ring, uint32_t number, Size size, Scratch& scratch);

    void set_outgrown(bool value) { outgrown_.store(value, std::memory_order_relaxed); }

private:
    static constexpr uint32_t spare_slots = 32;

    bool make_room(uint32_t slots);
    bool turn_if_due();
    void write_long(uint8_t tag, const uint8_t* bytes, size_t size);

    Ring ring_;
    uint64_t last_time_ = 0;
    uint64_t drained_time_ = 0;  // of the last record in a chunk; nodes have no time of their own
    uint32_t number_;
    Size size_;
    std::atomic<bool> outgrown_{false};
    uint64_t acquisitions_ = 0;
    uint8_t heap_level_;
    uint8_t object_level_;
    Scratch* scratch_;  // far behind what every event needs
    uint64_t own_stacks_;
};

// Stops recording after an internal failure. The program continues. Reports `why` on stderr and in
// the dump, with the error of the system that led to it, if one did.
void stop_recording(std::string_view why, int error = 0);

// The same where the dump could not grow.
void stop_without_room(std::string_view why);

}  // namespace memtrace::preload
