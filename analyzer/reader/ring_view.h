// SPDX-License-Identifier: Apache-2.0
//
// One ring of a dump: which of its slots are records, and whether the rest is as it must be.
//
// The process may have died at any instruction, or may still be running while we look. So a ring
// is looked at in two steps: a snapshot, taken before any chunk is read, and judge(), which knows
// up to which slot the lane's chunks reach. Slots below the tail of the snapshot are in chunks that
// were in the file before the tail moved, so nothing can fall between the two steps.
//
// What a dying process may leave, and what is therefore not damage:
//   * anything in slots [tail, c), c being where the chunks end: it was emptying them
//   * behind head, slots of one record that was being written: one slot, or the first slots of a
//     long record, complete but for the last. unfinished_bytes() says how many; whoever knows that
//     the lane's thread was not writing any more can tell that they are damage after all.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/reader/dump_file.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class RingView {
public:
    // Takes the snapshot of the ring whose sound frame header stands at `offset`.
    RingView(const DumpFile& file, uint64_t offset, const SectionHeader& header);

    // Decides what to read. `chunk_starts` are the first slots of the lane's chunks and
    // `chunks_end` one past their last slot.
    void judge(const DumpFile& file, const std::vector<uint64_t>& chunk_starts, uint64_t chunks_end,
               Problems& problems);

    uint64_t offset() const { return offset_; }
    uint32_t lane() const { return lane_; }
    // After judge(): slots [begin, head) are to be read.
    uint64_t begin() const { return begin_; }
    uint64_t head() const { return head_; }
    // Bytes that were being written when the process died; {0, 0} if none.
    uint64_t unfinished_offset() const { return unfinished_ > 0 ? slot_offset(head_) : 0; }
    uint64_t unfinished_bytes() const { return unfinished_ * slot_bytes; }

    // Slot `number` of [begin, head); zero where the file was cut off. Stays where it is.
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

    uint64_t offset_ = 0;  // of the frame
    uint32_t lane_ = 0;
    uint64_t capacity_ = 0;
    uint64_t seen_head_ = 0;  // as stored in the file
    uint64_t seen_tail_ = 0;
    uint64_t head_ = 0;
    uint64_t tail_ = 0;
    uint64_t begin_ = 0;
    uint64_t unfinished_ = 0;  // slots behind head_
    uint64_t copied_from_ = 0;
    std::vector<Slot> copied_;  // from slot copied_from_ on; after judge() exactly [begin, head)
};

}  // namespace memtrace::analyzer
