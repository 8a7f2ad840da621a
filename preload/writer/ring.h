// SPDX-License-Identifier: Apache-2.0
//
// The end of a lane that is written to: slots in pages that outlive the process (format.h draws
// them).
//
//   * One thread, the owner, writes and drains. No other thread touches a ring while the process
//     lives; memtrace-report reads it from the file.
//   * Everything published before the process died is in the file. A record is published as a
//     whole, by the one store of `head` that follows its slots.
//   * put() never blocks, never fails and makes no system call. The owner calls free_slots()
//     first and drains when there are too few.
//   * Drained slots are zero again before `tail` moves past them.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "memtrace/dump/slots.h"

namespace memtrace::preload {

class Ring {
public:
    Ring() = default;

    // `shared` points at the payload of a ring section: RingHeader, whose sums have begun, and
    // `capacity` zeroed slots.
    Ring(void* shared, uint32_t capacity, uint32_t lane)
        : header_(static_cast<RingHeader*>(shared)),
          slots_(reinterpret_cast<Slot*>(static_cast<char*>(shared) + sizeof(RingHeader))),
          mask_(capacity - 1),
          lane_(lane),
          sum_(header_->head_sum) {}

    uint64_t head() const { return head_; }
    uint64_t tail() const { return tail_; }
    uint32_t capacity() const { return static_cast<uint32_t>(mask_ + 1); }
    uint64_t used_slots() const { return head_ - tail_; }
    uint64_t free_slots() const { return capacity() - used_slots(); }

    // Writes a one-slot record. There must be a free slot.
    void put(Slot slot) {
        __builtin_prefetch(&slots_[(head_ + loaded_ahead) & mask_], 1);
        seal_slot(slot, head_);
        write(head_, slot);
        publish(head_ + 1, sum_ + slot_sum(slot, head_, lane_));
    }

    // Writes slot i of a longer record, which is not visible yet.
    void stage(uint32_t i, Slot slot) {
        seal_slot(slot, head_ + i);
        write(head_ + i, slot);
    }

    // Makes the staged slots up to `head` visible.
    void publish(uint64_t head) { publish(head, sum_ + sum_of(head_, head)); }

    const Slot& slot(uint64_t number) const { return slots_[number & mask_]; }

    // Gives back the slots before `number`, which are in a chunk now.
    void release_until(uint64_t number) {
        releasing_ = number;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        __atomic_store_n(&header_->tail_sum, sum_ - sum_of(number, head_), __ATOMIC_RELEASE);
        clear_until(number);
    }

    // Puts right what the thread may have left half done by a jump.
    void finish_after_jump() {
        // What tail_sum is does not matter; head_sum has to fit it.
        sum_ = header_->tail_sum + sum_of(releasing_ > tail_ ? releasing_ : tail_, head_);
        publish(head_, sum_);
        if (releasing_ > tail_) clear_until(releasing_);
    }

private:
    // A ring is larger than what a program that works on tensors leaves of the near caches. A
    // slot that is prefetched four lines ahead arrives in time, even if events follow each other
    // closely.
    static constexpr uint64_t loaded_ahead = 12;

    void publish(uint64_t head, uint64_t sum) {
        sum_ = sum;
        head_ = head;
        // These pair with the acquire loads of a reader that maps the file while the process runs.
        // For the reader of a dead process's dump, program order is enough.
        __atomic_store_n(&header_->head_sum, sum, __ATOMIC_RELEASE);
        __atomic_store_n(&header_->head, head, __ATOMIC_RELEASE);
    }

    uint64_t sum_of(uint64_t begin, uint64_t end) const {
        uint64_t sum = 0;
        for (uint64_t number = begin; number < end; ++number)
            sum += slot_sum(slot(number), number, lane_);
        return sum;
    }

    void clear_until(uint64_t number) {
        const uint64_t first = tail_ & mask_;
        const uint64_t count = number - tail_;
        const uint64_t to_end = count < capacity() - first ? count : capacity() - first;
        std::memset(slots_ + first, 0, to_end * sizeof(Slot));
        std::memset(slots_, 0, (count - to_end) * sizeof(Slot));
        tail_ = number;
        __atomic_store_n(&header_->tail, number, __ATOMIC_RELEASE);
    }

    // The word with the tag is written last. A slot that a dying thread did not finish has no
    // tag.
    void write(uint64_t number, const Slot& slot) {
        Slot& place = slots_[number & mask_];
        place.words[2] = slot.words[2];
        place.words[1] = slot.words[1];
        __atomic_store_n(&place.words[0], slot.words[0], __ATOMIC_RELEASE);
    }

    RingHeader* header_ = nullptr;
    Slot* slots_ = nullptr;
    uint64_t mask_ = 0;
    uint32_t lane_ = 0;
    uint64_t sum_ = 0;  // as in header_, in memory that only the owner touches
    uint64_t head_ = 0;
    uint64_t tail_ = 0;
    uint64_t releasing_ = 0;  // what the last release_until() was called with
};

}  // namespace memtrace::preload
