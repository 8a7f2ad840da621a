// SPDX-License-Identifier: Apache-2.0
//
// One ring of a dump: decides which of its slots are records and whether the rest is sound.
//
// The process may have died at any instruction, or may still be running during the reading. So a
// ring is read in two steps. The constructor takes a snapshot before any chunk is read. Then
// judge() receives the slot at which the lane's chunks end. Slots below the tail of the snapshot
// are in chunks that were in the file before the tail moved, so no slot is lost between the two
// steps.
//
// A dying process may leave the following, which is therefore not damage:
//
//   * anything in slots [tail, c), where c is the end of the chunks: the process was draining them
//   * after head, slots of one record that was being written: one slot, or the first slots of a
//     long record, complete except for the last. unfinished_bytes() returns their size. They are
//     damage after all if the lane's thread was no longer writing; a caller with this knowledge
//     must report that.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/reader/dump_file.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class RingView {
public:
    // Takes the snapshot of the ring whose sound section header stands at `offset`.
    RingView(const DumpFile& file, uint64_t offset, const SectionHeader& header);

    // Decides which slots to read. `chunk_starts` are the first slots of the lane's chunks, and
    // `chunks_end` is the slot after their last slot.
    void judge(const DumpFile& file, const std::vector<uint64_t>& chunk_starts, uint64_t chunks_end,
               Problems& problems);

    // Does the same for a ring whose process is still running. The slots of the snapshot are sound;
    // the pages have changed since, so nothing else is judged.
    void settle(const DumpFile& file, uint64_t chunks_end);

    uint64_t offset() const { return offset_; }
    uint32_t lane() const { return lane_; }
    // After judge() or settle(), slots [begin, head) must be read.
    uint64_t begin() const { return begin_; }
    uint64_t head() const { return head_; }
    // Times of its first and its last record in ticks; {0, 0}: it has none. `before`: the time of
    // the lane's last record before them.
    struct Times {
        uint64_t first = 0;
        uint64_t last = 0;
    };
    Times times(uint64_t before) const;
    // Offset and size of the bytes that were being written when the process died; {0, 0} if none.
    uint64_t unfinished_offset() const { return unfinished_ > 0 ? slot_offset(head_) : 0; }
    uint64_t unfinished_bytes() const { return unfinished_ * slot_bytes; }

    // Returns slot `number` of [begin, head), or zeros if the file was cut off before it. The
    // reference stays valid.
    const Slot& record_slot(uint64_t number) const { return copied_[number - begin_]; }
    uint64_t slot_offset(uint64_t number) const {
        return slots_offset() + (number & (capacity_ - 1)) * slot_bytes;
    }

private:
    uint64_t slots_offset() const { return offset_ + section_alignment + sizeof(RingHeader); }
    Slot slot(const DumpFile& file, uint64_t number) const;
    Slot slot_in_file(const DumpFile& file, uint64_t number) const;
    bool moved_on(const DumpFile& file) const;
    uint64_t sound_until(const DumpFile& file, uint64_t from) const;
    uint64_t written_after(const DumpFile& file, uint64_t from) const;
    bool is_one_unfinished_record(const DumpFile& file, uint64_t from, uint64_t count) const;
    bool is_complete_record(const DumpFile& file, uint64_t from, uint64_t count) const;
    void keep_records(const DumpFile& file);
    void judge_indices(const DumpFile& file, const std::vector<uint64_t>& chunk_starts,
                       uint64_t chunks_end, Problems& problems);
    void judge_head(const DumpFile& file, Problems& problems);
    void judge_rest(const DumpFile& file, uint64_t chunks_end, Problems& problems);
    bool is_zeroed(const DumpFile& file) const;
    bool adds_up(const DumpFile& file, uint64_t from, uint64_t sum) const;
    void judge_sum(const DumpFile& file, uint64_t sum, Problems& problems);

    uint64_t offset_ = 0;  // offset of the section header
    uint32_t lane_ = 0;
    uint64_t capacity_ = 0;
    uint64_t seen_head_ = 0;  // as stored in the file
    uint64_t seen_tail_ = 0;
    uint64_t head_ = 0;
    uint64_t tail_ = 0;
    uint64_t begin_ = 0;
    uint64_t unfinished_ = 0;  // slots after head_
    uint64_t copied_from_ = 0;
    std::vector<Slot> copied_;  // from slot copied_from_ on; after judge() exactly [begin, head)
};

}  // namespace memtrace::analyzer
