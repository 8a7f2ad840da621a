// SPDX-License-Identifier: Apache-2.0
//
// How records become bytes: the payload of a chunk, before compression.
//
// A chunk's payload stores its records by column, because equal values next to each other compress
// well:
//
//   varint  number of columns, then for each, in any order: varint key, varint length in bytes
//   bytes   of each column, in the same order
//
//   key 0             heads of all records, one byte each: the kind of the record and, for the two
//                     most frequent kinds, which fields are as predicted and stored nowhere else
//                     (record_head.h)
//   key 1             their times: varint of the difference to the record before, in ticks
//   key 16*tag + i    field i of the records with that tag, packed in its coding
//
// A reader (column_reader.h) skips columns with unknown keys, and leaves fields with missing
// columns at their defaults. This is all of forward and backward compatibility.
//
//   Example: an acquire at tick 9 and a release of it at tick 12 are
//     key 0: 9e c1 · key 1: 09 03 · 32: api · 33: stack · 34: size · 35: address
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "memtrace/dump/event_columns.h"
#include "memtrace/dump/format.h"
#include "memtrace/dump/predict.h"
#include "memtrace/dump/varint.h"

namespace memtrace {

inline constexpr unsigned column_count = columns_a_tag * (tag_max + 1);

// Collects the records of one chunk. The owner provides the memory. The columns of events lie in
// separate arrays (event_columns.h). The rest of the memory is cut into blocks, and every other
// column is a list of blocks, so that a chunk may hold any mixture of records. Nothing allocates.
class ColumnWriter {
public:
    static constexpr size_t block_bytes = 2048;

    // Bytes that `pool` needs so that at least `records` records without text fit.
    static constexpr size_t pool_bytes(size_t records) {
        return EventColumns::memory_bytes(records) + records * 48 + column_count * block_bytes;
    }

    // For chunks of at most `records_max` records.
    ColumnWriter(uint8_t* pool, size_t pool_size, size_t records_max, PredictorTables& tables)
        : records_max_(records_max),
          blocks_(pool + EventColumns::memory_bytes(records_max)),
          pool_end_(pool + pool_size),
          events_(pool, records_max, tables) {
        begin();
    }

    void begin() {
        next_block_ = blocks_;
        std::memset(columns_, 0, sizeof columns_);
        events_.begin();
    }

    uint32_t record_count() const { return events_.record_count(); }

    // True if a record with at most `text_bytes` of text still fits.
    bool has_room(size_t text_bytes) const {
        return records_left() > 0 && static_cast<size_t>(pool_end_ - next_block_) >=
                                         (fields_max + 1) * block_bytes + text_bytes * 2;
    }
    size_t records_left() const { return records_max_ - events_.record_count(); }

    // Appends a record. Times must not decrease. has_room() must have returned true.
    template <class Record>
    void add(const Record& record) {
        events_.add_head(Record::tag, record.time);
        unsigned key = columns_a_tag * Record::tag;
        uint64_t size = 0;
        Record::fields(record, [&](const char*, const auto& value, auto how) {
            encode(key++, value, how, size);
        });
    }
    void add(const Acquire& record) { events_.add(record); }
    void add(const Release& record) { events_.add(record); }

    // For callers that add many events. There is room as long as records_left() is not 0.
    EventColumns& events() { return events_; }

    // Bytes that write_payload() will write, or a few more.
    size_t payload_bytes() const {
        size_t total = varint_bytes_max;
        for_each_column([&](unsigned, size_t bytes) { total += bytes + 2 * varint_bytes_max; });
        return total;
    }

    // Writes the payload to `out`, which must have room for payload_bytes(). Returns its actual
    // size.
    size_t write_payload(uint8_t* out) const {
        uint8_t* const start = out;
        unsigned used = 0;
        for_each_column([&](unsigned, size_t) { ++used; });
        out = write_varint(out, used);
        for_each_column([&](unsigned key, size_t bytes) {
            out = write_varint(out, key);
            out = write_varint(out, bytes);
        });
        const auto append = [&out](const uint8_t* begin, const uint8_t* end) {
            std::memcpy(out, begin, static_cast<size_t>(end - begin));
            out += end - begin;
        };
        events_.for_each(
            [&](unsigned, const uint8_t* begin, const uint8_t* end) { append(begin, end); });
        for (const Column& column : columns_) for_each_block(column, append);
        return static_cast<size_t>(out - start);
    }

private:
    struct Block {
        Block* next;
        uint8_t* end;  // one past the used bytes; set when the next block begins
        uint8_t bytes[block_bytes - 16];
    };
    static_assert(sizeof(Block) == block_bytes);
    struct Column {
        Block* first;
        Block* last;
        uint8_t* end;
        uint8_t* limit;  // up to here there is room for a varint
    };

    // Calls visit(begin, end) for the bytes of each block.
    template <class Visit>
    static void for_each_block(const Column& column, Visit&& visit) {
        for (const Block* block = column.first; block != nullptr; block = block->next) {
            visit(block->bytes, block == column.last ? column.end : block->end);
        }
    }

    // Calls visit(key, bytes) for each column that is present, in the order of writing.
    template <class Visit>
    void for_each_column(Visit&& visit) const {
        events_.for_each([&](unsigned key, const uint8_t* begin, const uint8_t* end) {
            visit(key, static_cast<size_t>(end - begin));
        });
        for (unsigned key = 0; key < column_count; ++key) {
            if (columns_[key].first == nullptr) continue;
            size_t total = 0;
            for_each_block(columns_[key], [&](const uint8_t* begin, const uint8_t* end) {
                total += static_cast<size_t>(end - begin);
            });
            visit(key, total);
        }
    }

    // Returns where the next bytes of this column go, with room for at least one varint.
    uint8_t* room(unsigned key) {
        Column& column = columns_[key];
        // Both are null if there is no block yet.
        if (column.end >= column.limit) [[unlikely]]
            add_block(column);
        return column.end;
    }

    void add_block(Column& column) {
        Block* block = reinterpret_cast<Block*>(next_block_);
        next_block_ += block_bytes;
        block->next = nullptr;
        if (column.last != nullptr) {
            column.last->end = column.end;
            column.last->next = block;
        } else {
            column.first = block;
        }
        column.last = block;
        column.end = block->bytes;
        column.limit = block->bytes + sizeof block->bytes - varint_bytes_max;
    }

    void put(unsigned key, uint64_t value) {
        uint8_t* out = room(key);
        columns_[key].end = write_varint(out, value);
    }

    template <class T>
    void encode(unsigned key, const T& value, coding::Plain, uint64_t&) {
        put(key, static_cast<uint64_t>(value));
    }
    template <class T>
    void encode(unsigned key, const T& value, coding::Delta, uint64_t&) {
        const uint64_t now = static_cast<uint64_t>(value);
        put(key, zigzag(static_cast<int64_t>(now - last(key))));
        last(key) = now;
    }
    void encode(unsigned key, const Text& value, coding::Text, uint64_t&) {
        put(key, value.size());
        size_t done = 0;
        while (done < value.size()) {
            uint8_t* out = room(key);
            const Block* block = columns_[key].last;
            const size_t space = static_cast<size_t>(block->bytes + sizeof block->bytes - out);
            const size_t part = value.size() - done < space ? value.size() - done : space;
            std::memcpy(out, value.data() + done, part);
            columns_[key].end = out + part;
            done += part;
        }
    }
    void encode(unsigned key, uint32_t value, coding::Stack, uint64_t&) {
        put(key, events_.predictor().encode_stack(value));
    }
    void encode(unsigned key, uint64_t value, coding::Size, uint64_t& size) {
        size = Predictor::with_code(value);
        put(key, events_.predictor().encode_size(size));
    }
    void encode(unsigned key, uint64_t value, coding::Acquired, uint64_t& size) {
        put(key, events_.predictor().encode_acquired(value, size));
    }
    void encode(unsigned key, uint64_t value, coding::Released, uint64_t&) {
        put(key, events_.predictor().encode_released(value));
    }

    uint64_t& last(unsigned key) {
        if (columns_[key].first == nullptr) last_[key] = 0;
        return last_[key];
    }

    size_t records_max_;
    uint8_t* blocks_;
    uint8_t* pool_end_;
    uint8_t* next_block_ = nullptr;
    EventColumns events_;
    Column columns_[column_count] = {};
    uint64_t last_[column_count] = {};
};

}  // namespace memtrace
