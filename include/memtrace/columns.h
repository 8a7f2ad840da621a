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
//   key 0             tags of all records, one byte each: the order of the records
//   key 1             their times: varint of the difference to the record before, in ticks
//   key 16*tag + i    field i of the records with that tag, packed as its coding says
//
// A reader skips columns that it does not know, and leaves fields whose column is missing at their
// defaults: that is the whole of forward and backward compatibility.
//
//   Example: an acquire at tick 9 and a release of it at tick 12 are
//     key 0: 02 03 · key 1: 09 03 · 32: api · 33: stack · 34: size · 35: address · 48: api · 49: 02
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "memtrace/format.h"
#include "memtrace/predict.h"
#include "memtrace/varint.h"

namespace memtrace {

inline constexpr unsigned column_tags   = 0;
inline constexpr unsigned column_times  = 1;
inline constexpr unsigned columns_a_tag = 16;
inline constexpr unsigned column_count  = columns_a_tag * (tag_max + 1);
static_assert(fields_max <= columns_a_tag);

// ---- columns, writing --------------------------------------------------------------------------

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
        *room(column_tags) = Record::tag;
        columns_[column_tags].end += 1;
        put(column_times, record.time - last_time_);
        last_time_ = record.time;
        unsigned key = columns_a_tag * Record::tag;
        uint64_t size = 0;
        Record::fields(record, [&](const char*, const auto& value, auto how) {
            encode(key++, value, how, size);
        });
        record_count_ += 1;
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
    Column     columns_[column_count] = {};
    uint64_t   last_[column_count] = {};
};

// ---- columns, reading --------------------------------------------------------------------------

// Reads the records of one chunk, in order. The payload must outlive the reader: Text fields point
// into it.
class ColumnReader {
public:
    enum class Result { record, unknown_tag, end, malformed };

    ColumnReader(const uint8_t* payload, size_t size, Predictor& predictor)
        : predictor_(predictor) {
        predictor_.begin();
        ok_ = read_directory(payload, payload + size);
    }

    // Decodes the next record and calls visit(record). After `malformed` nothing more can be read.
    template <class Visit>
    Result next(Visit&& visit) {
        if (!ok_) return Result::malformed;
        Column& tags = columns_[column_tags];
        if (tags.in == tags.end) return Result::end;
        const uint8_t tag = *tags.in++;
        uint64_t elapsed = 0;
        get(column_times, elapsed);
        time_ += elapsed;
        const bool known =
            with_record(Records{}, tag, [&]<class Record>(std::type_identity<Record>) {
                Record record;
                record.time = time_;
                unsigned key = columns_a_tag * Record::tag;
                uint64_t size = 0;
                Record::fields(record, [&](const char*, auto& value, auto how) {
                    decode(key++, value, how, size);
                });
                if (ok_) visit(static_cast<const Record&>(record));
            });
        if (!ok_) return Result::malformed;
        return known ? Result::record : Result::unknown_tag;
    }

private:
    struct Column {
        const uint8_t* in;
        const uint8_t* end;
        bool           present;
    };

    bool read_directory(const uint8_t* in, const uint8_t* end) {
        uint64_t count = 0;
        in = read_varint(in, end, count);
        if (in == nullptr || count > static_cast<uint64_t>(end - in)) return false;
        // First pass: the lengths tell where the bytes begin. Second pass: who gets which bytes.
        const uint8_t* directory = in;
        uint64_t key = 0;
        uint64_t length = 0;
        for (uint64_t i = 0; i < count; ++i) {
            if ((in = read_varint(in, end, key)) == nullptr) return false;
            if ((in = read_varint(in, end, length)) == nullptr) return false;
        }
        const uint8_t* bytes = in;
        for (uint64_t i = 0; i < count; ++i) {
            directory = read_varint(directory, end, key);
            directory = read_varint(directory, end, length);
            if (length > static_cast<uint64_t>(end - bytes)) return false;
            if (key < column_count) columns_[key] = {bytes, bytes + length, true};
            bytes += length;
        }
        return bytes == end;
    }

    // A missing column leaves the value alone; a column that ends too early is damage.
    bool get(unsigned key, uint64_t& value) {
        Column& column = columns_[key];
        if (!column.present) return false;
        const uint8_t* next = read_varint(column.in, column.end, value);
        if (next == nullptr) {
            ok_ = false;
            return false;
        }
        column.in = next;
        return true;
    }

    template <class T>
    void decode(unsigned key, T& value, coding::Plain, uint64_t&) {
        uint64_t raw = 0;
        if (get(key, raw)) value = static_cast<T>(raw);
    }
    template <class T>
    void decode(unsigned key, T& value, coding::Delta, uint64_t&) {
        uint64_t raw = 0;
        if (!get(key, raw)) return;
        last_[key] += static_cast<uint64_t>(unzigzag(raw));
        value = static_cast<T>(last_[key]);
    }
    void decode(unsigned key, Text& value, coding::Text, uint64_t&) {
        uint64_t length = 0;
        if (!get(key, length)) return;
        Column& column = columns_[key];
        if (length > static_cast<uint64_t>(column.end - column.in)) {
            ok_ = false;
            return;
        }
        value = Text(reinterpret_cast<const char*>(column.in), length);
        column.in += length;
    }
    void decode(unsigned key, uint32_t& value, coding::Stack, uint64_t&) {
        uint64_t raw = 0;
        if (get(key, raw)) value = predictor_.decode_stack(raw);
    }
    void decode(unsigned key, uint64_t& value, coding::Size, uint64_t& size) {
        uint64_t raw = 0;
        if (get(key, raw)) value = predictor_.decode_size(raw);
        size = value;
    }
    void decode(unsigned key, uint64_t& value, coding::Acquired, uint64_t& size) {
        uint64_t raw = 0;
        if (get(key, raw)) value = predictor_.decode_acquired(raw, size);
    }
    void decode(unsigned key, uint64_t& value, coding::Released, uint64_t&) {
        uint64_t raw = 0;
        if (get(key, raw) && !predictor_.decode_released(raw, value)) ok_ = false;
    }

    Predictor& predictor_;
    bool       ok_ = false;
    uint64_t   time_ = 0;
    Column     columns_[column_count] = {};
    uint64_t   last_[column_count] = {};
};

}  // namespace memtrace
