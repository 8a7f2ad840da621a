// SPDX-License-Identifier: Apache-2.0
//
// Makes dumps for tests, byte by byte as a process would leave them: complete, killed at any step,
// or still running. It uses the format from include/memtrace only, and none of the shim's code.
//
//   DumpBuilder dump;
//   dump.add(0, Acquire{10, Api::malloc, 1, 100, 0x1000});
//   dump.end_chunk(0);                                   // in a chunk; what follows: in the ring
//   dump.add(0, Release{20, Api::free, 0x1000});
//   write_file(path, dump.bytes());
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "analyzer/reader/event.h"
#include "memtrace/dump/columns.h"
#include "memtrace/dump/slots.h"

namespace memtrace::test {

using Bytes = std::vector<uint8_t>;

class DumpBuilder {
public:
    struct Settings {
        uint32_t ring_slots = 64;
        bool with_rings = true;  // false: as on a file system that cannot map files
        Packing packing = Packing::zstd;
        State state = State::recording;
        uint64_t lost_events = 0;
        uint32_t children = 0;
        uint64_t ticks_per_second = 1'000'000'000;
        uint64_t room_bytes = 0;  // unused reserved space after file_end
    };

    DumpBuilder() : DumpBuilder(Settings{}) {}
    explicit DumpBuilder(const Settings& settings);

    Settings settings;

    // Appends a record to the lane. A full ring is drained into a chunk first.
    template <class Record>
    DumpBuilder& add(uint32_t lane, Record record) {
        Record::fields(record, [&](const char*, auto& value, auto) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Text>) value = keep(value);
        });
        return add_any(lane, record);
    }
    DumpBuilder& add_any(uint32_t lane, const analyzer::AnyRecord& record);

    // Puts the contents of the lane's ring into a chunk.
    DumpBuilder& end_chunk(uint32_t lane);

    // ---- deaths: each must be the last step of its lane ----
    // Killed after the chunk was written, before any slot was cleared.
    DumpBuilder& die_before_emptying(uint32_t lane);
    // Killed while slots were being cleared: the first half of them is zero.
    DumpBuilder& die_while_emptying(uint32_t lane);
    // Killed before the chunk's header was written, but after `bytes` of its payload.
    DumpBuilder& die_while_writing_chunk(uint32_t lane, size_t bytes);
    // Killed before the header of a new ring was written, but after `sums` of its two sums.
    DumpBuilder& die_while_adding_ring(int sums = 2);
    // Killed while this record's slots were being written: the first `slots` exist, the last one
    // in part.
    DumpBuilder& die_while_writing_record(uint32_t lane, const analyzer::AnyRecord& record,
                                          uint32_t slots);

    // Appends reserved space that is never written.
    DumpBuilder& reserve(size_t bytes);

    // Returns the whole file.
    Bytes bytes();

    // ---- positions, for tests that change bytes ----
    struct Place {
        uint64_t offset;  // offset of the section header
        uint64_t end;     // end of its padding
        uint32_t lane;
        SectionKind kind;
        uint64_t slot_count;
        uint32_t record_count;
    };
    const std::vector<Place>& places() const { return places_; }
    uint64_t slot_offset(uint32_t lane, uint64_t number) const;
    uint64_t head(uint32_t lane) const { return lanes_.at(lane).head(); }
    uint64_t tail(uint32_t lane) const { return lanes_.at(lane).tail; }
    uint64_t end() const { return file_.size(); }

private:
    struct Lane {
        uint64_t ring_offset = 0;
        uint32_t capacity = 0;
        uint64_t tail = 0;
        std::vector<analyzer::AnyRecord> records;  // records in the ring
        std::vector<Slot> slots;                   // slots of these records, not sealed
        std::vector<Slot> unfinished;              // slots after head
        uint64_t emptied = 0;  // number of slots from tail on that are zero already
        uint64_t head() const { return tail + slots.size(); }
    };
    struct Chunk {
        SectionHeader header;
        Bytes payload;
    };

    Text keep(Text text) { return texts_.emplace_back(text); }
    Lane& lane(uint32_t number);
    Chunk make_chunk(uint32_t number, Lane& lane);
    void put_chunk(const Chunk& chunk);
    void put_header(const SectionHeader& header, uint64_t offset);
    uint64_t append(size_t bytes);
    void write_rings(Bytes& file) const;

    Bytes file_;
    std::map<uint32_t, Lane> lanes_;
    std::vector<Place> places_;
    std::deque<std::string> texts_;
};

// Returns the slots of a record, not sealed.
std::vector<Slot> slots_of(const analyzer::AnyRecord& record);

}  // namespace memtrace::test
