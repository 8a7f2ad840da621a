// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/lane_reader.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "memtrace/dump/slots.h"

namespace memtrace::analyzer {

LaneReader::LaneReader(const LaneSections& frames, ReadContext& context)
    : frames_(frames), context_(context) {
    batch_.reserve(batch_length + 8);
    if (frames_.ring) next_slot_ = frames_.ring->begin();
}

const std::vector<Event>& LaneReader::fill() {
    batch_.clear();
    others_.clear();
    texts_.clear();
    while (batch_.empty()) {
        if (reader_) {
            read_chunk();
        } else if (next_chunk_ < frames_.chunks.size()) {
            if (!open_chunk(frames_.chunks[next_chunk_])) ++next_chunk_;
        } else if (frames_.ring && next_slot_ < frames_.ring->head()) {
            read_ring();
        } else {
            tables_.reset();
            payload_ = {};
            push_ends(~uint64_t{0});
            break;
        }
    }
    return batch_;
}

// ---- chunks -------------------------------------------------------------------------------------

bool LaneReader::open_chunk(const ChunkRef& chunk) {
    const SectionHeader& header = chunk.header;
    const uint8_t* stored = context_.file.data() + chunk.offset + section_alignment;
    context_.on_bytes(section_alignment + header.stored_bytes);
    records_read_ = 0;
    payload_.resize(header.raw_bytes);
    if (header.packing == Packing::none) {
        if (header.stored_bytes != header.raw_bytes) {
            close_chunk("its sizes disagree");
            return false;
        }
        payload_.assign(stored, stored + header.stored_bytes);
    } else {
        const size_t size = ZSTD_decompressDCtx(context_.unpacker.get(), payload_.data(),
                                                payload_.size(), stored, header.stored_bytes);
        if (ZSTD_isError(size) || size != header.raw_bytes) {
            close_chunk("it cannot be unpacked");
            return false;
        }
    }
    if (!tables_) tables_ = std::make_unique<PredictorTables>();
    reader_ = std::make_unique<ColumnReader>(payload_.data(), payload_.size(), *tables_);
    return true;
}

// Ends the chunk. With a fault, its remaining records cannot be read and are reported as lost.
void LaneReader::close_chunk(const char* fault) {
    reader_.reset();
    const ChunkRef& chunk = frames_.chunks[next_chunk_];
    context_.file.forget(chunk.offset, chunk.offset + chunk.header.stored_bytes);
    if (fault == nullptr) return;
    const uint32_t missing =
        chunk.header.record_count - std::min(chunk.header.record_count, records_read_);
    context_.problems.damage("chunk",
                             fmt::format("A chunk of lane {} is damaged: {}; {} of its {} "
                                         "records are lost.",
                                         frames_.lane, fault, missing, chunk.header.record_count),
                             chunk.offset, section_alignment + chunk.header.stored_bytes);
    context_.problems.lose_events(missing);
}

void LaneReader::read_chunk() {
    using Result = ColumnReader::Result;
    const auto visit = [this](const auto& record) { add(record); };
    while (batch_.size() < batch_length) {
        const Result result = reader_->next(visit);
        if (result == Result::record) {
            ++records_read_;
            continue;
        }
        if (result == Result::unknown_tag) {
            ++records_read_;
            context_.problems.remark("format",
                                     "Records of a kind that is newer than this program "
                                     "were skipped.");
            continue;
        }
        const bool whole = records_read_ == frames_.chunks[next_chunk_].header.record_count;
        close_chunk(result == Result::malformed ? "its records are malformed"
                    : !whole                    ? "it has fewer or more records than it says"
                                                : nullptr);
        ++next_chunk_;
        return;
    }
}

// ---- the ring -----------------------------------------------------------------------------------

void LaneReader::read_ring() {
    uint8_t row[record_slots_max * slot_payload_bytes];
    const RingView& ring = *frames_.ring;
    const auto get = [&](uint64_t number) -> const Slot& { return ring.record_slot(number); };
    const uint64_t from = next_slot_;
    next_slot_ = read_slots(
        next_slot_, ring.head(), row, time_, get,
        [&](auto record) {
            using Record = decltype(record);
            Record::fields(record, [&](const char*, auto& value, auto) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>)
                    value = keep(value);
            });
            add(record);
        },
        [&](uint8_t) {
            context_.problems.remark("format",
                                     "Records of a kind that is newer than this program "
                                     "were skipped.");
        },
        [&](uint64_t number) {
            if (number != bad_end_) report_slots();
            if (bad_end_ != number) bad_begin_ = number;
            bad_end_ = number + 1;
        },
        [&](uint64_t) { return batch_.size() < batch_length; });
    context_.on_bytes((next_slot_ - from) * slot_bytes);
    if (next_slot_ >= ring.head()) report_slots();
}

void LaneReader::report_slots() {
    const uint64_t count = bad_end_ - bad_begin_;
    if (count == 0) return;
    const RingView& ring = *frames_.ring;
    const uint64_t offset = ring.slot_offset(bad_begin_);
    context_.problems.damage("slot",
                             fmt::format("{} slots in the ring of lane {} are damaged, from "
                                         "slot {} on.",
                                         count, frames_.lane, bad_begin_),
                             offset, count * slot_bytes);
    context_.problems.lose_events(count);
    bad_begin_ = bad_end_ = 0;
}

Text LaneReader::keep(Text text) { return texts_.emplace_back(text); }

// ---- into the batch -----------------------------------------------------------------------------

void LaneReader::push(uint64_t key, const AnyRecord& record) {
    others_.push_back(record);
    batch_.push_back({key, &others_.back()});
}

template <class Record>
void LaneReader::add(const Record& record) {
    time_ = record.time;
    if constexpr (std::is_same_v<Record, Node>) {
        if (context_.on_node) return context_.on_node(record);
    }
    if (!ends_.empty()) [[unlikely]]
        push_ends(record.time);
    if constexpr (std::is_same_v<Record, Acquire> || std::is_same_v<Record, Release>) {
        batch_.push_back({merge_key(record), record});
    } else {
        push(merge_key(record), record);
    }
    if constexpr (std::is_same_v<Record, Resize>) {
        add_end(ResizeEnd{record.time + record.duration, record});
    }
    if constexpr (std::is_same_v<Record, Remap>) {
        add_end(RemapEnd{record.time + record.duration, record});
    }
}

template <class Second>
void LaneReader::add_end(const Second& end) {
    ends_.push_back({merge_key(end), end});
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const End& a, const End& b) { return a.key > b.key; });
}

// Moves the ends of resizes that were complete at `until` into the batch.
void LaneReader::push_ends(uint64_t until) {
    while (!ends_.empty() && ends_.back().key / 2 <= until) {
        push(ends_.back().key, ends_.back().record);
        ends_.pop_back();
    }
}

}  // namespace memtrace::analyzer
