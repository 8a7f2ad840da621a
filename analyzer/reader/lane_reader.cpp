// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/lane_reader.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "analyzer/reader/chunk_fault.h"
#include "memtrace/dump/slots.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t length_max = 1 << 14;  // events in a batch

template <class Record, class... Kept>
constexpr bool is_one_of = (std::is_same_v<Record, Kept> || ...);

template <class Record>
constexpr bool is_kept_by_name =
    is_one_of<Record, Module, ThreadStart, ThreadName, Note, Option, Walks, PythonCode, PythonLines,
              PythonWalks, AutogradEngine, GpuDevice>;

template <class Record>
uint64_t text_bytes_of(const Record& record) {
    uint64_t bytes = 0;
    Record::fields(record, [&](const char*, const auto& value, auto) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>) bytes += value.size();
    });
    return bytes;
}

}  // namespace

LaneReader::LaneReader(const LaneSections& frames, ReadContext& context)
    : frames_(frames), context_(context), next_slot_(frames.first_slot), time_(frames.first_time) {
    batch_.reserve(context.batch_length + 8);
}

const EventBatch& LaneReader::fill() {
    begin_definitions();
    batch_.clear();
    others_.clear();
    texts_.clear();
    text_bytes_ = 0;
    while (batch_.empty()) {
        if (is_open_) {
            if (come_back()) read_chunk();
        } else if (next_chunk_ < frames_.chunks.size()) {
            const ChunkRef& chunk = frames_.chunks[next_chunk_];
            if (was_read(chunk) || !open_chunk(chunk)) ++next_chunk_;
        } else if (frames_.ring && next_slot_ < frames_.ring->head()) {
            read_ring();
        } else if (context_.grows) {
            break;
        } else {
            let_go();
            context_.open_chunks.use(*this, 0);
            push_ends(~uint64_t{0});
            if (is_in_hole_) end_hole(~uint64_t{0});
            break;
        }
    }
    return batch_;
}

// ---- into the batch -----------------------------------------------------------------------------

void LaneReader::push(uint64_t key, const AnyRecord& record) {
    others_.push_back(record);
    batch_.add<const AnyRecord*>(key, &others_.back());
}

[[gnu::always_inline]] inline void LaneReader::come_to(uint64_t time) {
    if (is_in_hole_) [[unlikely]]
        end_hole(time);
    time_ = time;
}

[[gnu::always_inline]] inline void LaneReader::add(const Node& record) {
    come_to(record.time);
    if (context_.skips_nodes) return;
    if (context_.on_nodes) define(record);
    else add_other(record);
}

// Acquisitions and releases are nearly all events, so they are inlined into the loop that decodes.
template <class Record>
[[gnu::always_inline]] inline void LaneReader::add(const Record& record) {
    come_to(record.time);
    constexpr bool is_frequent = is_one_of<Record, Acquire, Release>;
    if constexpr (!is_frequent) {
        add_other(record);
    } else {
        if (!ends_.empty()) [[unlikely]]
            push_ends(record.time);
        if (is_one_of<Record, Release> && context_.skips_addresses) return;
        batch_.add<Record>(merge_key(record), record);
    }
}

template <class Record>
void LaneReader::add_other(const Record& record) {
    if (!ends_.empty()) [[unlikely]]
        push_ends(record.time);
    const uint64_t text = text_bytes_of(record);
    text_bytes_ += text;
    if (is_kept_by_name<Record> && !context_.names.take(text)) return skip_name();
    push(merge_key(record), record);
    if constexpr (std::is_same_v<Record, Resize>) {
        add_end(ResizeEnd{record.time + record.duration, record});
    }
    if constexpr (std::is_same_v<Record, Remap>) {
        add_end(RemapEnd{record.time + record.duration, record});
    }
}

// Those that come before the new batch come before its first event.
void LaneReader::begin_definitions() {
    std::vector<Node>& nodes = definitions_.nodes;
    std::vector<Definitions::Run>& runs = definitions_.runs;
    if (runs.empty()) return;
    size_t gone = nodes.size();
    if (runs.back().before >= batch_.size()) gone = runs.size() > 1 ? runs[runs.size() - 2].end : 0;
    nodes.erase(nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(gone));
    runs.clear();
    if (!nodes.empty()) runs.push_back({0, nodes.size()});
}

// A damaged dump may have any number of definitions without an event.
[[gnu::always_inline]] inline void LaneReader::define(const Node& node) {
    std::vector<Node>& nodes = definitions_.nodes;
    std::vector<Definitions::Run>& runs = definitions_.runs;
    if (nodes.size() >= definitions_max) [[unlikely]]
        return context_.on_nodes({&node, 1}, 1);
    nodes.push_back(node);
    if (runs.empty() || runs.back().before != batch_.size()) runs.push_back({batch_.size(), 0});
    runs.back().end = nodes.size();
}

void LaneReader::skip_name() {
    if (!context_.names.complain()) return;
    context_.problems.damage("names",
                             "The dump has more names (of modules, threads, functions, notes) than "
                             "a file of its size can have: the others are left out.");
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

// ---- chunks -------------------------------------------------------------------------------------

// True if all slots of the chunk were read from the ring. They are then counted as read.
bool LaneReader::was_read(const ChunkRef& chunk) {
    const uint64_t first = chunk.header.first_slot;
    if (frames_.lane == lane_none || first >= next_slot_ ||
        first + chunk.header.slot_count > next_slot_) {
        return false;
    }
    ring_records_ -= std::min(ring_records_, chunk.header.record_count);
    context_.file.forget(chunk.offset, chunk.offset + chunk.header.stored_bytes);
    return true;
}

bool LaneReader::open_chunk(const ChunkRef& chunk) {
    context_.on_bytes(section_alignment + chunk.header.stored_bytes);
    const uint64_t first = chunk.header.first_slot;
    if (frames_.lane != lane_none && first > next_slot_) begin_hole();
    const bool was_begun = first < next_slot_;
    next_slot_ = first + chunk.header.slot_count;
    records_read_ = records_again_ = 0;
    if (const char* const fault = unpack(chunk)) {
        close_chunk(fault);
        return false;
    }
    is_open_ = true;
    if (was_begun) skip_read_records();
    return true;
}

// Skips the records of the open chunk that were read from the ring.
void LaneReader::skip_read_records() {
    for (; ring_records_ > 0; --ring_records_) {
        if (reader_->next([](const auto&) {}) != ColumnReader::Result::record) return;
        ++records_read_;
    }
}

// Returns a fault of the chunk, or nullptr.
const char* LaneReader::unpack(const ChunkRef& chunk) {
    const SectionHeader& header = chunk.header;
    const uint8_t* stored = context_.file.data() + chunk.offset + section_alignment;
    if (header.packing == Packing::none && header.stored_bytes != header.raw_bytes) {
        return "its sizes disagree";
    }
    if (payload_.capacity() < header.raw_bytes)
        payload_ = std::vector<uint8_t>();  // without a copy of the old one
    const size_t bytes = std::max<size_t>(payload_.capacity(), header.raw_bytes);
    context_.open_chunks.use(*this, bytes + sizeof(PredictorTables) + sizeof(ColumnReader));
    payload_.resize(header.raw_bytes);
    if (header.packing == Packing::none) {
        payload_.assign(stored, stored + header.stored_bytes);
    } else {
        const size_t size = ZSTD_decompressDCtx(context_.unpacker.get(), payload_.data(),
                                                payload_.size(), stored, header.stored_bytes);
        if (ZSTD_isError(size) || size != header.raw_bytes) return "it cannot be unpacked";
    }
    if (!tables_) tables_ = std::make_unique<PredictorTables>();
    reader_ = std::make_unique<ColumnReader>(payload_.data(), payload_.size(), *tables_);
    if (context_.skips_nodes) reader_->skip_nodes();
    if (context_.skips_addresses) reader_->skip_addresses();
    return nullptr;
}

// Gives back what was unpacked. The texts of the batch still point into it.
void LaneReader::let_go() {
    for (AnyRecord& any : others_) {
        std::visit(
            [this]<class Record>(Record& record) {
                if constexpr (requires { Record::tag; }) {
                    Record::fields(record, [this](const char*, auto& value, auto) {
                        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>)
                            value = keep(value);
                    });
                }
            },
            any);
    }
    reader_.reset();
    tables_.reset();
    payload_ = std::vector<uint8_t>();
}

// Unpacks the open chunk again if it was let go, and goes to where its reader was.
bool LaneReader::come_back() {
    const ChunkRef& chunk = frames_.chunks[next_chunk_];
    if (reader_) {
        const size_t held = sizeof(PredictorTables) + sizeof(ColumnReader);
        context_.open_chunks.use(*this, payload_.capacity() + held);
        return true;
    }
    const char* fault = unpack(chunk);
    for (uint32_t i = 0; fault == nullptr && i < records_read_; ++i) {
        const auto result = reader_->next([](const auto&) {});
        const bool is_as_before =
            result == ColumnReader::Result::record || result == ColumnReader::Result::unknown_tag;
        if (!is_as_before) fault = "it changed while it was read";
    }
    records_again_ += records_read_;
    if (fault == nullptr) return true;
    close_chunk(fault);
    ++next_chunk_;
    return false;
}

// Ends the chunk. With a fault, its remaining records cannot be read and are reported as lost.
void LaneReader::close_chunk(const char* fault) {
    reader_.reset();
    is_open_ = false;
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
    begin_hole();
}

void LaneReader::read_chunk() {
    using Result = ColumnReader::Result;
    const auto visit = [this](const auto& record) __attribute__((always_inline)) { add(record); };
    // A chunk that had to be unpacked again is read in larger pieces, so that the work stays in
    // proportion to its records.
    const size_t length = std::clamp<size_t>(records_again_ / 8, context_.batch_length, length_max);
    while (!is_full(length)) {
        const Result result = reader_->next(visit);
        if (records_read_ >= chunk_records_max) {
            close_chunk("it has more records than any chunk");
            ++next_chunk_;
            return;
        }
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
    if (next_slot_ < ring.begin()) {
        begin_hole();
        next_slot_ = ring.begin();
    }
    const uint64_t from = next_slot_;
    next_slot_ = read_slots(
        next_slot_, ring.head(), row, time_, get,
        [&](auto record) {
            using Record = decltype(record);
            Record::fields(record, [&](const char*, auto& value, auto) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>)
                    value = keep(value);
            });
            ++ring_records_;
            add(record);
        },
        [&](uint8_t) {
            context_.problems.remark("format",
                                     "Records of a kind that is newer than this program "
                                     "were skipped.");
        },
        [&](uint64_t number) {
            if (number != bad_end_) report_slots();
            begin_hole();
            if (bad_end_ != number) bad_begin_ = number;
            bad_end_ = number + 1;
        },
        [&](uint64_t) { return !is_full(context_.batch_length); });
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

void LaneReader::begin_hole() {
    if (std::exchange(is_in_hole_, true)) return;
    hole_begin_ = time_;
}

void LaneReader::end_hole(uint64_t time) {
    is_in_hole_ = false;
    context_.problems.lose_time(hole_begin_, time);
}

Text LaneReader::keep(Text text) { return texts_.emplace_back(text); }

}  // namespace memtrace::analyzer
