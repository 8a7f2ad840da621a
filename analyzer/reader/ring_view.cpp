// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/ring_view.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "memtrace/dump/slots.h"

namespace memtrace::analyzer {
namespace {

uint64_t load(const DumpFile& file, uint64_t offset) {
    if (offset + sizeof(uint64_t) > file.size()) return 0;
    // Pairs with the release stores of the traced process, which may still be running.
    return __atomic_load_n(reinterpret_cast<const uint64_t*>(file.data() + offset),
                           __ATOMIC_ACQUIRE);
}

uint64_t head_offset(uint64_t frame) {
    return frame + section_alignment + offsetof(RingHeader, head);
}
uint64_t tail_offset(uint64_t frame) {
    return frame + section_alignment + offsetof(RingHeader, tail);
}

bool has_sums(const DumpFile& file) { return file.header().version >= version_of_ring_sums; }

// The sum that the slots [tail, head) must have.
uint64_t load_sum(const DumpFile& file, uint64_t frame) {
    const uint64_t indices = frame + section_alignment;
    return load(file, indices + offsetof(RingHeader, head_sum)) -
           load(file, indices + offsetof(RingHeader, tail_sum));
}

}  // namespace

RingView::RingView(const DumpFile& file, uint64_t offset, const SectionHeader& header)
    : offset_(offset), lane_(header.lane), capacity_(header.slot_count) {
    seen_head_ = load(file, head_offset(offset));
    const uint64_t tail_before = load(file, tail_offset(offset));
    if (tail_before <= seen_head_ && seen_head_ - tail_before <= capacity_) {
        copied_from_ = tail_before;
        copied_.resize(seen_head_ - tail_before);
        for (uint64_t i = 0; i < copied_.size(); ++i)
            copied_[i] = slot_in_file(file, tail_before + i);
    }
    // Slots from this tail on were still in the ring during the copy.
    seen_tail_ = load(file, tail_offset(offset));
    head_ = seen_head_;
    tail_ = seen_tail_;
}

Slot RingView::slot_in_file(const DumpFile& file, uint64_t number) const {
    Slot result{};
    const uint64_t at = slot_offset(number);
    if (at + sizeof result <= file.size()) std::memcpy(&result, file.data() + at, sizeof result);
    return result;
}

Slot RingView::slot(const DumpFile& file, uint64_t number) const {
    if (number >= copied_from_ && number - copied_from_ < copied_.size()) {
        return copied_[number - copied_from_];
    }
    return slot_in_file(file, number);
}

bool RingView::moved_on(const DumpFile& file) const {
    return load(file, head_offset(offset_)) != seen_head_ ||
           load(file, tail_offset(offset_)) != seen_tail_;
}

void RingView::judge(const DumpFile& file, const std::vector<uint64_t>& chunk_starts,
                     uint64_t chunks_end, Problems& problems) {
    const uint64_t sum = load_sum(file, offset_);
    const Problems before = problems;
    if (is_zeroed(file)) {
        problems.damage("ring",
                        fmt::format("Zeros stand in the place of the ring of lane {}: what was in "
                                    "it is lost.",
                                    lane_),
                        offset_ + section_alignment, sizeof(RingHeader));
    }
    judge_indices(file, chunk_starts, chunks_end, problems);
    // Slots lost with the end of a truncated file will be reported as damaged.
    if (slots_offset() + capacity_ * slot_bytes <= file.size()) {
        judge_head(file, problems);
        judge_rest(file, chunks_end, problems);
        if (has_sums(file)) judge_sum(file, sum, problems);
    }
    if (moved_on(file)) {
        // A process that cannot be seen from here (in another container) wrote meanwhile.
        problems = before;
        return settle(file, chunks_end);
    }
    keep_records(file);
}

void RingView::settle(const DumpFile& file, uint64_t chunks_end) {
    head_ = seen_head_;
    tail_ = seen_tail_;
    unfinished_ = 0;
    begin_ = std::max(chunks_end, tail_);
    if (begin_ > head_ || head_ - begin_ > capacity_) begin_ = head_ = chunks_end;
    keep_records(file);
}

void RingView::keep_records(const DumpFile& file) {
    // Of a ring that the file's end cuts off nobody judged the head: it may lie before the chunks'
    // end. Then there are no records.
    begin_ = std::min(begin_, head_);
    std::vector<Slot> records;
    records.reserve(head_ - begin_);
    for (uint64_t number = begin_; number < head_; ++number) records.push_back(slot(file, number));
    copied_ = std::move(records);
    copied_from_ = begin_;
}

void RingView::judge_indices(const DumpFile& file, const std::vector<uint64_t>& chunk_starts,
                             uint64_t chunks_end, Problems& problems) {
    const auto head_fits = [&](uint64_t from) {
        return head_ >= from && head_ - from <= capacity_;
    };
    const auto wrong = [&](const char* which, uint64_t said, uint64_t offset) {
        problems.damage("ring",
                        fmt::format("The ring of lane {} says that its {} is slot {}, which "
                                    "cannot be: its chunks end at slot {}.",
                                    lane_, which, said, chunks_end),
                        offset, sizeof(uint64_t));
    };
    const bool tail_is_old =
        tail_ < chunks_end &&
        std::find(chunk_starts.begin(), chunk_starts.end(), tail_) == chunk_starts.end();
    const bool tail_is_far =
        tail_ > chunks_end &&
        (!head_fits(tail_) || sound_until(file, chunks_end) > chunks_end);  // not drained after all
    if (tail_is_old || tail_is_far || (tail_ < chunks_end && chunks_end - tail_ > capacity_)) {
        const bool head_is_at_fault =
            !head_fits(chunks_end) && !tail_is_old && sound_until(file, tail_) > tail_;
        if (!head_is_at_fault) {
            wrong("tail", tail_, tail_offset(offset_));
            tail_ = chunks_end;
        }
    }
    begin_ = std::max(chunks_end, tail_);
    if (!head_fits(begin_) || head_ - std::min(tail_, head_) > capacity_) {
        wrong("head", head_, head_offset(offset_));
        head_ = std::min(sound_until(file, begin_), std::min(tail_, begin_) + capacity_);
    }
}

// Returns the number after the last of the consecutive sound slots that begin at `from`.
uint64_t RingView::sound_until(const DumpFile& file, uint64_t from) const {
    uint64_t number = from;
    while (number - from < capacity_) {
        const Slot s = slot(file, number);
        if (slot_is_zero(s) || !slot_is_sound(s, number)) break;
        ++number;
    }
    return number;
}

// Counts the consecutive slots from `from` on that are not zero, up to where the ring is in use
// again.
uint64_t RingView::written_after(const DumpFile& file, uint64_t from) const {
    const uint64_t used = from - std::min(tail_, from);
    const uint64_t room = capacity_ - std::min(used, capacity_);
    uint64_t count = 0;
    while (count < room && !slot_is_zero(slot(file, from + count))) ++count;
    return count;
}

bool RingView::is_one_unfinished_record(const DumpFile& file, uint64_t from, uint64_t count) const {
    if (count == 0) return true;
    // The word with the tag and the check is written last. Until then the other words may be
    // anything.
    const Slot last = slot(file, from + count - 1);
    if (last.words[0] != 0 && !slot_is_sound(last, from + count - 1)) return false;
    if (count == 1) return true;
    const Slot first = slot(file, from);
    if (!slot_is_sound(first, from) || slot_tag(first) != slot_tag_long ||
        long_record_slots(long_record_bytes(first)) < count || count > record_slots_max) {
        return false;
    }
    for (uint64_t i = 1; i + 1 < count; ++i) {
        const Slot s = slot(file, from + i);
        if (!slot_is_sound(s, from + i) || slot_tag(s) != slot_tag_more) return false;
    }
    return true;
}

// True if the record is complete. is_one_unfinished_record() must hold for these slots.
bool RingView::is_complete_record(const DumpFile& file, uint64_t from, uint64_t count) const {
    const Slot first = slot(file, from);
    const uint64_t slots =
        slot_tag(first) == slot_tag_long ? long_record_slots(long_record_bytes(first)) : 1;
    // A slot without its first word is not written, although its check may be right by chance.
    const Slot last = slot(file, from + count - 1);
    return slots == count && slot_tag(last) != 0 && slot_is_sound(last, from + count - 1);
}

void RingView::judge_head(const DumpFile& file, Problems& problems) {
    uint64_t head = head_;
    while (head > begin_ && slot_is_zero(slot(file, head - 1))) --head;
    if (head != head_) {
        problems.damage("ring",
                        fmt::format("The ring of lane {} says that its head is slot {}, but "
                                    "the slots from {} on are empty.",
                                    lane_, head_, head),
                        head_offset(offset_), sizeof(uint64_t));
        problems.lose_events(head_ - head);
        head_ = head;
    }
    uint64_t written = written_after(file, head_);
    if (!is_one_unfinished_record(file, head_, written)) {
        const uint64_t sound = std::min(sound_until(file, head_), head_ + written);
        problems.damage("ring",
                        fmt::format("The ring of lane {} says that its head is slot {}, but "
                                    "{} slots after it are written.",
                                    lane_, head_, written),
                        head_offset(offset_), sizeof(uint64_t));
        head_ = sound;
        written = written_after(file, head_);
        if (!is_one_unfinished_record(file, head_, written))
            written = 0;  // judge_rest() reports these slots.
    }
    // A complete record was about to be published and is as good as the records before it.
    if (written > 0 && is_complete_record(file, head_, written)) {
        head_ += written;
        written = 0;
    }
    unfinished_ = written;
}

void RingView::judge_rest(const DumpFile& file, uint64_t chunks_end, Problems& problems) {
    const uint64_t indices = offset_ + section_alignment;
    const size_t used = (has_sums(file) ? 2 : 1) * sizeof(uint64_t);
    for (const size_t index : {offsetof(RingHeader, head), offsetof(RingHeader, tail)}) {
        const uint64_t end = indices + index + section_alignment;
        const uint64_t dirt = file.first_nonzero(indices + index + used, end);
        if (dirt == end) continue;
        problems.damage("ring",
                        fmt::format("The ring of lane {} has bytes where zeros must be.", lane_),
                        dirt, end - dirt);
    }
    // Slots [tail, chunks_end) may contain anything. The records follow. The rest is empty.
    const uint64_t first = std::min(tail_, chunks_end);
    const uint64_t used_end = head_ + unfinished_;
    uint64_t dirty = 0;
    for (uint64_t number = used_end; number < first + capacity_; ++number) {
        if (!slot_is_zero(slot_in_file(file, number))) {
            ++dirty;
            continue;
        }
        if (dirty > 0) break;
    }
    if (dirty == 0) return;
    uint64_t at = used_end;
    while (slot_is_zero(slot_in_file(file, at))) ++at;
    problems.damage("ring",
                    fmt::format("The ring of lane {} has {} written slots where empty ones "
                                "must be, from slot {} on.",
                                lane_, dirty, at),
                    slot_offset(at), dirty * slot_bytes);
}

// Its thread begins the sums before anything else.
bool RingView::is_zeroed(const DumpFile& file) const {
    const uint64_t indices = offset_ + section_alignment;
    return file.header().version >= version_of_sums_begin &&
           indices + sizeof(RingHeader) <= file.size() &&
           load(file, indices + offsetof(RingHeader, head_sum)) == 0 &&
           load(file, indices + offsetof(RingHeader, tail_sum)) == 0;
}

// True if the records from `from` on have this sum.
bool RingView::adds_up(const DumpFile& file, uint64_t from, uint64_t sum) const {
    uint64_t found = 0;
    for (uint64_t number = from; number < head_; ++number) {
        // The thread may have died before it stored the head, and the sum, of its last record.
        if (number >= seen_head_ && found == sum) return true;
        found += slot_sum(slot(file, number), number, lane_);
    }
    return found == sum;
}

// Slots that are sound one by one may still not be those that were written: several bytes of one
// may have changed, or slots of another ring or of an earlier time stand in their place.
void RingView::judge_sum(const DumpFile& file, uint64_t sum, Problems& problems) {
    if (tail_ != seen_tail_ || head_ < seen_head_) return;  // This is reported.
    for (uint64_t number = begin_; number < head_; ++number) {
        if (!slot_is_sound(slot(file, number), number)) return;  // This slot will be reported.
    }
    // A thread that was draining stored the sum of the new tail first, and cleared no slot before.
    if (adds_up(file, begin_, sum) || adds_up(file, tail_, sum)) return;
    if (file.file_end_now() != file.header().file_end) return;  // It is being written now.
    problems.damage("ring",
                    fmt::format("The records in the ring of lane {}, slots {} to {}, do not add up "
                                "to their checksum: some are not what was written.",
                                lane_, begin_, head_),
                    offset_ + section_alignment, sizeof(RingHeader) + capacity_ * slot_bytes);
}

RingView::Times RingView::times(uint64_t before) const {
    uint8_t row[record_slots_max * slot_payload_bytes];
    Times times;
    read_slots(
        begin_, head_, row, before,
        [&](uint64_t number) -> const Slot& { return record_slot(number); },
        [&](const auto& record) {
            if (record.time == 0) return;  // a definition before the first record
            if (times.first == 0) times.first = record.time;
            times.last = std::max(times.last, record.time);
        },
        [](uint8_t) {}, [](uint64_t) {}, [](uint64_t) { return true; });
    return times;
}

}  // namespace memtrace::analyzer
