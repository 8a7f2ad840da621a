// SPDX-License-Identifier: Apache-2.0
//
// How records become bytes: the payload of a chunk, before compression.
//
// A chunk's payload stores its records by column, because equal things compress well when they
// stand together:
//
//   varint  number of columns, then for each: varint key, varint length in bytes
//   bytes   of each column, in the same order
//
//   key 0             heads of all records, one byte each: which record it is, and for the two most
//                     frequent ones which fields are as predicted and nowhere else (heads.h)
//   key 1             their times: varint of the difference to the record before, in ticks
//   key 16*tag + i    field i of the records with that tag, packed as its coding says
//
// A reader (column_reader.h) skips columns that it does not know, and leaves fields whose column is
// missing at their defaults: that is the whole of forward and backward compatibility.
//
//   Example: an acquire at tick 9 and a release of it at tick 12 are
//     key 0: 9e c1 · key 1: 09 03 · 32: api · 33: stack · 34: size · 35: address
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "memtrace/format.h"
#include "memtrace/heads.h"
#include "memtrace/predict.h"
#include "memtrace/varint.h"

namespace memtrace {

inline constexpr unsigned column_heads  = 0;
inline constexpr unsigned column_times  = 1;
inline constexpr unsigned columns_a_tag = 16;
inline constexpr unsigned column_count  = columns_a_tag * (tag_max + 1);
static_assert(fields_max <= columns_a_tag);

// Of the two records with short heads, field by field as their fields() have them.
enum : unsigned {
    column_acquire_api = columns_a_tag * Acquire::tag,
    column_acquire_stack,
    column_acquire_size,
    column_acquire_address,
    column_release_api = columns_a_tag * Release::tag,
    column_release_address,
};

// Collects the records of one chunk. Memory comes from the owner: `pool` is cut into blocks, and a
// column is a list of blocks, so that a chunk may hold any mixture of records. No allocation.
class ColumnWriter {
public:
    static constexpr size_t block_bytes = 2048;

    // Bytes that `pool` must have so that at least `records` records without text fit.
    static constexpr size_t pool_bytes(size_t records) {
        return records * 48 + column_count * block_bytes;
    }

    ColumnWriter(uint8_t* pool, size_t pool_size, Predictor& predictor)
        : pool_(pool), pool_end_(pool + pool_size), predictor_(predictor) {
        begin();
    }

    void begin() {
        next_block_ = pool_;
        record_count_ = 0;
        last_time_ = 0;
        release_api_ = Api::free;
        std::memset(columns_, 0, sizeof columns_);
        predictor_.begin();
    }

    uint32_t record_count() const { return record_count_; }

    // Whether a record with at most `text_bytes` of text still fits.
    bool has_room(size_t text_bytes) const {
        return static_cast<size_t>(pool_end_ - next_block_) >=
               (fields_max + 3) * block_bytes + text_bytes * 2;
    }

    // Appends a record. Times must not decrease. The caller has asked has_room().
    template <class Record>
    void add(const Record& record) {
        begin_record(Record::tag, record.time);
        unsigned key = columns_a_tag * Record::tag;
        uint64_t size = 0;
        Record::fields(record, [&](const char*, const auto& value, auto how) {
            encode(key++, value, how, size);
        });
    }

    void add(const Acquire& record) {
        uint8_t head = heads::short_bit;
        const auto unless_predicted = [&](uint64_t code, uint8_t bit, unsigned column) {
            if (code == 0) return;
            head |= bit;
            put(column, code);
        };
        unless_predicted(predictor_.encode_stack(record.stack), heads::stack_bit,
                         column_acquire_stack);
        unless_predicted(predictor_.encode_size(record.size), heads::size_bit,
                         column_acquire_size);
        unless_predicted(predictor_.encode_api(record.api), heads::api_bit, column_acquire_api);
        const uint64_t address = predictor_.encode_acquired(record.address, record.size);
        if (address < heads::address_in_column) {
            head |= static_cast<uint8_t>(address);
        } else {
            head |= heads::address_in_column;
            put(column_acquire_address, address);
        }
        begin_record(head, record.time);
    }

    void add(const Release& record) {
        const uint64_t address = predictor_.encode_released(record.address);
        if (record.api == release_api_ && (address & 1) == 0 &&
            address <= 2 * heads::distance_max) [[likely]] {
            begin_record(static_cast<uint8_t>(heads::short_bit | heads::release_bit | address / 2),
                         record.time);
            return;
        }
        const bool is_other_api = record.api != release_api_;
        begin_record(heads::short_bit | heads::release_bit |
                         (is_other_api ? heads::with_api : heads::in_column),
                     record.time);
        if (is_other_api) put(column_release_api, static_cast<uint64_t>(record.api));
        release_api_ = record.api;
        put(column_release_address, address);
    }

    // Bytes that write_payload() will write.
    size_t payload_bytes() const {
        size_t total = varint_bytes_max;
        for (const Column& column : columns_) total += column_bytes(column) + 2 * varint_bytes_max;
        return total;
    }

    // Writes the payload at `out`, which has room for payload_bytes(). Returns its true size.
    size_t write_payload(uint8_t* out) const {
        uint8_t* const start = out;
        unsigned used = 0;
        for (const Column& column : columns_) used += column.first != nullptr;
        out = write_varint(out, used);
        for (unsigned key = 0; key < column_count; ++key) {
            if (columns_[key].first == nullptr) continue;
            out = write_varint(out, key);
            out = write_varint(out, column_bytes(columns_[key]));
        }
        for (const Column& column : columns_) {
            for (const Block* block = column.first; block != nullptr; block = block->next) {
                const uint8_t* end = block == column.last ? column.end : block->end;
                std::memcpy(out, block->bytes, static_cast<size_t>(end - block->bytes));
                out += end - block->bytes;
            }
        }
        return static_cast<size_t>(out - start);
    }

private:
    struct Block {
        Block*   next;
        uint8_t* end;  // one past the used bytes; set when the next block is begun
        uint8_t  bytes[block_bytes - 16];
    };
    static_assert(sizeof(Block) == block_bytes);
    struct Column {
        Block*   first;
        Block*   last;
        uint8_t* end;
        uint8_t* limit;  // up to here there is room for a varint
    };

    static size_t column_bytes(const Column& column) {
        size_t total = 0;
        for (const Block* block = column.first; block != nullptr; block = block->next) {
            const uint8_t* end = block == column.last ? column.end : block->end;
            total += static_cast<size_t>(end - block->bytes);
        }
        return total;
    }

    // Where the next bytes of this column go: room for at least one varint.
    uint8_t* room(unsigned key) {
        Column& column = columns_[key];
        // Both are null where there is no block yet.
        if (column.end >= column.limit) [[unlikely]] add_block(column);
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

    void begin_record(uint8_t head, uint64_t time) {
        *room(column_heads) = head;
        columns_[column_heads].end += 1;
        put(column_times, time - last_time_);
        last_time_ = time;
        record_count_ += 1;
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
        put(key, predictor_.encode_stack(value));
    }
    void encode(unsigned key, uint64_t value, coding::Size, uint64_t& size) {
        size = value;
        put(key, predictor_.encode_size(value));
    }
    void encode(unsigned key, uint64_t value, coding::Acquired, uint64_t& size) {
        put(key, predictor_.encode_acquired(value, size));
    }
    void encode(unsigned key, uint64_t value, coding::Released, uint64_t&) {
        put(key, predictor_.encode_released(value));
    }

    uint64_t& last(unsigned key) {
        if (columns_[key].first == nullptr) last_[key] = 0;
        return last_[key];
    }

    uint8_t*   pool_;
    uint8_t*   pool_end_;
    Predictor& predictor_;
    uint8_t*   next_block_ = nullptr;
    uint32_t   record_count_ = 0;
    uint64_t   last_time_ = 0;
    Api        release_api_ = Api::free;
    Column     columns_[column_count] = {};
    uint64_t   last_[column_count] = {};
};

}  // namespace memtrace
