// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/dump_builder.h"

#include <cstring>
#include <memory>
#include <stdexcept>

#include <zstd.h>

#include "memtrace/dump/hash.h"

namespace memtrace::test {

using analyzer::AnyRecord;

namespace {

template <class Record>
constexpr bool is_record =
    !std::is_same_v<Record, analyzer::ResizeEnd> && !std::is_same_v<Record, analyzer::RemapEnd>;

template <class Record>
constexpr bool has_short_slot = std::is_same_v<Record, Acquire> ||
                                std::is_same_v<Record, Release> || std::is_same_v<Record, Node>;

template <class Record>
bool fits_short_slot(const Record& record) {
    if constexpr (std::is_same_v<Record, Node>) return record.address < slot_address_limit;
    else if constexpr (has_short_slot<Record>)
        return fits_slot(record) && record.time < slot_time_limit;
    else return false;
}

// Calls use(record) for the record in `any`.
template <class Use>
void with(const AnyRecord& any, Use&& use) {
    std::visit(
        [&](const auto& record) {
            if constexpr (is_record<std::decay_t<decltype(record)>>) use(record);
            else throw std::logic_error("the second moment of a resize is not a record");
        },
        any);
}

uint64_t time_of(const AnyRecord& any) {
    return std::visit([](const auto& record) { return record.time; }, any);
}

}  // namespace

std::vector<Slot> slots_of(const AnyRecord& any) {
    std::vector<Slot> slots;
    with(any, [&](const auto& record) {
        using Record = std::decay_t<decltype(record)>;
        if constexpr (has_short_slot<Record>) {
            if (fits_short_slot(record)) {
                slots.push_back(pack_slot(record));
                return;
            }
        }
        Bytes row(row_bytes(record));
        row.resize(static_cast<size_t>(write_row(row.data(), record) - row.data()));
        if (row.size() > record_bytes_max) throw std::logic_error("record too long for a ring");
        pack_long_record(Record::tag, row.data(), row.size(),
                         [&](uint32_t, const Slot& slot) { slots.push_back(slot); });
    });
    return slots;
}

DumpBuilder::DumpBuilder(const Settings& wanted) : settings(wanted) { file_.resize(page_bytes); }

uint64_t DumpBuilder::append(size_t bytes) {
    const uint64_t offset = file_.size();
    file_.resize(align_section(offset + bytes));
    return offset;
}

DumpBuilder& DumpBuilder::reserve(size_t bytes) {
    append(bytes);
    return *this;
}

DumpBuilder::Lane& DumpBuilder::lane(uint32_t number) {
    const auto [entry, is_new] = lanes_.try_emplace(number);
    Lane& lane = entry->second;
    if (!is_new) return lane;
    lane.capacity = settings.ring_slots;
    if (number == lane_none || !settings.with_rings) return lane;
    SectionHeader header{};
    header.kind = SectionKind::ring;
    header.stored_bytes = static_cast<uint32_t>(sizeof(RingHeader) + lane.capacity * sizeof(Slot));
    header.lane = number;
    header.slot_count = lane.capacity;
    lane.ring_offset = append(section_alignment + header.stored_bytes);
    put_header(header, lane.ring_offset);
    return lane;
}

DumpBuilder& DumpBuilder::add_any(uint32_t number, const AnyRecord& record) {
    Lane& into = lane(number);
    const std::vector<Slot> slots = slots_of(record);
    const bool full = number != lane_none && into.slots.size() + slots.size() > into.capacity;
    if (full) end_chunk(number);
    into.records.push_back(record);
    into.slots.insert(into.slots.end(), slots.begin(), slots.end());
    return *this;
}

DumpBuilder::Chunk DumpBuilder::make_chunk(uint32_t number, Lane& from) {
    size_t text = 0;
    for (const AnyRecord& any : from.records) {
        with(any, [&](const auto& record) { text += row_bytes(record); });
    }
    Bytes pool(ColumnWriter::pool_bytes(from.records.size()) + 8 * text);
    const auto tables = std::make_unique<PredictorTables>();
    const auto columns =
        std::make_unique<ColumnWriter>(pool.data(), pool.size(), from.records.size(), *tables);
    Chunk chunk{};
    uint64_t time = 0;
    for (const AnyRecord& any : from.records) {
        with(any, [&](auto record) {
            // In a slot a node has no time of its own, so it has none in a chunk either.
            if constexpr (std::is_same_v<decltype(record), Node>) record.time = time;
            time = record.time;
            columns->add(record);
        });
    }
    Bytes raw(columns->payload_bytes());
    raw.resize(columns->write_payload(raw.data()));
    chunk.payload = raw;
    if (settings.packing == Packing::zstd) {
        chunk.payload.resize(ZSTD_compressBound(raw.size()));
        chunk.payload.resize(
            ZSTD_compress(chunk.payload.data(), chunk.payload.size(), raw.data(), raw.size(), 1));
    }
    SectionHeader& header = chunk.header;
    header.kind = SectionKind::chunk;
    header.packing = settings.packing;
    header.stored_bytes = static_cast<uint32_t>(chunk.payload.size());
    header.raw_bytes = static_cast<uint32_t>(raw.size());
    header.lane = number;
    header.record_count = columns->record_count();
    header.first_slot = number == lane_none ? 0 : from.tail;
    header.slot_count = number == lane_none ? 0 : static_cast<uint32_t>(from.slots.size());
    header.payload_checksum =
        static_cast<uint32_t>(hash_bytes(chunk.payload.data(), chunk.payload.size()));
    header.first_time = from.records.empty() ? 0 : time_of(from.records.front());
    header.last_time = time;
    return chunk;
}

void DumpBuilder::put_header(const SectionHeader& header, uint64_t offset) {
    StoredSectionHeader stored{header, 0};
    stored.header.magic = section_magic;
    stored.checksum = hash_bytes(&stored.header, sizeof stored.header);
    std::memcpy(file_.data() + offset, &stored, sizeof stored);
    places_.push_back({offset, align_section(offset + section_alignment + header.stored_bytes),
                       header.lane, header.kind, header.slot_count, header.record_count});
}

void DumpBuilder::put_chunk(const Chunk& chunk) {
    const uint64_t offset = append(section_alignment + chunk.payload.size());
    std::memcpy(file_.data() + offset + section_alignment, chunk.payload.data(),
                chunk.payload.size());
    put_header(chunk.header, offset);
}

DumpBuilder& DumpBuilder::end_chunk(uint32_t number) {
    Lane& from = lane(number);
    if (from.records.empty()) return *this;
    put_chunk(make_chunk(number, from));
    from.tail += from.slots.size();
    from.slots.clear();
    from.records.clear();
    return *this;
}

DumpBuilder& DumpBuilder::die_before_emptying(uint32_t number) {
    put_chunk(make_chunk(number, lane(number)));
    return *this;
}

DumpBuilder& DumpBuilder::die_while_emptying(uint32_t number) {
    die_before_emptying(number);
    lane(number).emptied = lane(number).slots.size() / 2;
    return *this;
}

DumpBuilder& DumpBuilder::die_while_writing_chunk(uint32_t number, size_t bytes) {
    const Chunk chunk = make_chunk(number, lane(number));
    const uint64_t offset = append(section_alignment + chunk.payload.size());
    std::memcpy(file_.data() + offset + section_alignment, chunk.payload.data(),
                std::min(bytes, chunk.payload.size()));
    return *this;
}

DumpBuilder& DumpBuilder::die_while_adding_ring(int sums) {
    RingHeader ring{};
    if (sums > 0) ring.head_sum = ring_sums_begin;
    if (sums > 1) ring.tail_sum = ring_sums_begin;
    const uint64_t offset =
        append(section_alignment + sizeof ring + settings.ring_slots * sizeof(Slot));
    std::memcpy(file_.data() + offset + section_alignment, &ring, sizeof ring);
    return *this;
}

DumpBuilder& DumpBuilder::die_while_writing_record(uint32_t number, const AnyRecord& record,
                                                   uint32_t slots) {
    Lane& from = lane(number);
    from.unfinished = slots_of(record);
    if (slots < from.unfinished.size()) from.unfinished.resize(slots);
    return *this;
}

uint64_t DumpBuilder::slot_offset(uint32_t number, uint64_t slot) const {
    const Lane& of = lanes_.at(number);
    return of.ring_offset + section_alignment + sizeof(RingHeader) +
           slot % of.capacity * slot_bytes;
}

void DumpBuilder::write_rings(Bytes& file) const {
    for (const auto& [number, lane] : lanes_) {
        if (lane.ring_offset == 0) continue;
        const uint64_t indices = lane.ring_offset + section_alignment;
        const uint64_t head = lane.head();
        std::memcpy(file.data() + indices + offsetof(RingHeader, head), &head, sizeof head);
        std::memcpy(file.data() + indices + offsetof(RingHeader, tail), &lane.tail,
                    sizeof lane.tail);
        const uint32_t of_lane = number;
        const auto put = [&](uint64_t slot_number, Slot slot, bool torn) {
            seal_slot(slot, slot_number);
            if (torn) slot.words[0] = 0;  // The word with the tag is written last.
            std::memcpy(file.data() + slot_offset(of_lane, slot_number), slot.words,
                        sizeof slot.words);
        };
        for (uint64_t i = lane.emptied; i < lane.slots.size(); ++i)
            put(lane.tail + i, lane.slots[i], false);
        for (uint64_t i = 0; i < lane.unfinished.size(); ++i) {
            put(head + i, lane.unfinished[i], i + 1 == lane.unfinished.size());
        }
        // The second part stands for what earlier slots added up to.
        const uint64_t tail_sum = ring_sums_begin + 77 * lane.tail;
        uint64_t head_sum = tail_sum;
        for (uint64_t i = 0; i < lane.slots.size(); ++i) {
            Slot slot = lane.slots[i];
            seal_slot(slot, lane.tail + i);
            head_sum += slot_sum(slot, lane.tail + i, number);
        }
        std::memcpy(file.data() + indices + offsetof(RingHeader, head_sum), &head_sum, 8);
        const uint64_t stored = lane.emptied > 0 ? head_sum : tail_sum;  // first of all
        std::memcpy(file.data() + indices + offsetof(RingHeader, tail_sum), &stored, 8);
    }
}

namespace {

uint32_t count_sections(const Bytes& file, bool lasting) {
    uint32_t count = 0;
    for (uint64_t at = page_bytes; at + section_alignment <= file.size();) {
        SectionHeader header;
        std::memcpy(&header, file.data() + at, sizeof header);
        if (header.magic != section_magic) {
            at += section_alignment;
            continue;
        }
        const bool lasts = header.kind == SectionKind::ring || header.lane == lane_none;
        count += !lasting || lasts;
        at = align_section(at + section_alignment + header.stored_bytes);
    }
    return count;
}

}  // namespace

Bytes DumpBuilder::bytes() {
    if (lanes_.count(lane_none) != 0) end_chunk(lane_none);
    if (!settings.with_rings) {
        for (const auto& entry : lanes_) end_chunk(entry.first);
    }
    Bytes file = file_;
    write_rings(file);
    FileHeader header{};
    std::memcpy(header.magic, file_magic, sizeof header.magic);
    header.version = format_version;
    header.header_bytes = sizeof header;
    if (!settings.with_rings) header.features = feature_private_rings;
    header.pid = 4711;
    header.process_start = 1234;
    header.ticks_zero = 1'000'000;
    header.ticks_per_second = settings.ticks_per_second;
    header.checksum = hash_bytes(&header, header_checksum_offset);
    header.file_end = file.size();
    header.lost_events = settings.lost_events;
    header.lost_events_left = lost_events_whole - settings.lost_events;
    header.state = header.state.of(static_cast<uint32_t>(settings.state));
    header.children = header.children.of(static_cast<uint32_t>(settings.children));
    header.sections = header.sections.of(count_sections(file, false));
    header.rings_and_process = header.rings_and_process.of(count_sections(file, true));
    std::memcpy(file.data(), &header, sizeof header);
    file.resize(file.size() + settings.room_bytes);
    return file;
}

}  // namespace memtrace::test
