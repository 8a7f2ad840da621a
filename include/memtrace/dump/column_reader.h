// SPDX-License-Identifier: Apache-2.0
//
// Reads the records back from the payload of a chunk that columns.h wrote.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "memtrace/dump/columns.h"
#include "memtrace/dump/format.h"
#include "memtrace/dump/predict.h"
#include "memtrace/dump/record_head.h"
#include "memtrace/dump/varint.h"

namespace memtrace {

// Reads the records of one chunk, in order. The payload must outlive the reader, because Text
// fields point into it.
class ColumnReader {
public:
    enum class Result { record, unknown_tag, end, malformed };

    ColumnReader(const uint8_t* payload, size_t size, PredictorTables& tables)
        : predictor_(tables) {
        predictor_.begin();
        ok_ = read_directory(payload, payload + size);
    }

    // From here on, next() passes definitions of stack nodes with nothing but their times.
    void skip_nodes() { skips_nodes_ = true; }
    // The same of releases. Acquisitions then have no addresses.
    void skip_addresses() { skips_addresses_ = true; }

    // Decodes the next record and calls visit(record). After `malformed` nothing more can be read.
    // What is decoded and what visit() does should become one piece of code for acquisitions,
    // releases and nodes, which nearly all records are.
    template <class Visit>
    [[gnu::always_inline]] Result next(Visit&& visit) {
        if (!ok_) return Result::malformed;
        Column& column = columns_[column_heads];
        if (column.in == column.end) return Result::end;
        const uint8_t head = *column.in++;
        add_elapsed();
        if (heads::is_short(head)) {
            return heads::is_release(head) ? next_release(head, visit) : next_acquire(head, visit);
        }
        if (head == Node::tag) return next_node(visit);
        return next_other(head, visit);
    }

private:
    struct Column {
        const uint8_t* in;
        const uint8_t* end;
        bool present;
    };

    bool read_directory(const uint8_t* in, const uint8_t* end) {
        uint64_t count = 0;
        in = read_varint(in, end, count);
        if (in == nullptr || count > static_cast<uint64_t>(end - in)) return false;
        // The first pass sums the directory to find where the bytes begin. The second pass assigns
        // the bytes to columns.
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

    template <class Record>
    [[gnu::always_inline]] void read_fields(Record& record) {
        record.time = time_;
        unsigned key = columns_a_tag * Record::tag;
        uint64_t size = 0;
        Record::fields(
            record, [&](const char*, auto& value, auto how)
                        __attribute__((always_inline)) { decode(key++, value, how, size); });
    }

    // One or two or three bytes is as good as random, so there is no branch for each of them.
    [[gnu::always_inline]] void add_elapsed() {
        Column& column = columns_[column_times];
        uint64_t elapsed = 0;
        if (!get_short(column, elapsed)) [[unlikely]]
            get_long(column, elapsed);
        time_ += elapsed;
    }

    template <class Visit>
    [[gnu::noinline]] Result next_other(uint8_t head, Visit&& visit) {
        const bool known =
            with_record(Records{}, head, [&]<class Record>(std::type_identity<Record>) {
                Record record;
                read_fields(record);
                if (ok_) visit(static_cast<const Record&>(record));
            });
        if (!ok_) return Result::malformed;
        return known ? Result::record : Result::unknown_tag;
    }

    template <class Visit>
    [[gnu::flatten, gnu::noinline]] Result next_node(Visit&& visit) {
        Node node;
        if (skips_nodes_) node.time = time_;  // No other record depends on a node's columns.
        else read_fields(node);
        if (!ok_) return Result::malformed;
        visit(static_cast<const Node&>(node));
        return Result::record;
    }

    template <class Visit>
    [[gnu::always_inline]] Result next_acquire(uint8_t head, Visit&& visit) {
        uint64_t address = head & heads::address_mask;
        // These bits have no meaning yet, so the record cannot be interpreted.
        if ((head & ~heads::acquire_bits) != 0 || address > heads::address_in_column) {
            ok_ = false;
            return Result::malformed;
        }
        const auto code = [&](uint8_t bit, unsigned column) {
            uint64_t value = 0;
            if ((head & bit) != 0) ok_ &= get(column, value);
            return value;
        };
        const uint64_t api = code(heads::api_bit, column_acquire_api);
        Acquire record;
        record.time = time_;
        record.stack = predictor_.decode_stack(code(heads::stack_bit, column_acquire_stack));
        record.size = predictor_.decode_size(code(heads::size_bit, column_acquire_size));
        record.api = predictor_.decode_api(api);
        if (!skips_addresses_) {
            if (address == heads::address_in_column) {
                address = code(heads::address_mask, column_acquire_address);
            }
            record.address = predictor_.decode_acquired(address, record.size);
        }
        if (!ok_) return Result::malformed;
        visit(static_cast<const Acquire&>(record));
        return Result::record;
    }

    template <class Visit>
    [[gnu::always_inline]] Result next_release(uint8_t head, Visit&& visit) {
        Release record;
        record.time = time_;
        if (skips_addresses_) {
            visit(static_cast<const Release&>(record));
            return Result::record;
        }
        const uint64_t distance = head & heads::distance_mask;
        uint64_t address = 2 * distance;
        if (distance == heads::with_api) {
            uint64_t api = 0;
            ok_ &= get(column_release_api, api);
            release_api_ = static_cast<Api>(api);
        }
        if (distance == heads::with_api || distance == heads::in_column) {
            ok_ &= get(column_release_address, address);
        }
        record.api = release_api_;
        if (!ok_ || !predictor_.decode_released(address, record.address)) {
            ok_ = false;
            return Result::malformed;
        }
        visit(static_cast<const Release&>(record));
        return Result::record;
    }

    // A missing column leaves the value unchanged. A column that ends too early is damage.
    [[gnu::always_inline]] bool get(unsigned key, uint64_t& value) {
        Column& column = columns_[key];
        const bool is_short = column.in != column.end && *column.in < 0x80;
        if (!is_short) return get_long(column, value);
        value = *column.in++;
        return true;
    }

    // Reads a value of at most four bytes. Returns false if it is longer, or near the column's end.
    [[gnu::always_inline]] static bool get_short(Column& column, uint64_t& value) {
        uint32_t all;
        if (column.end - column.in < static_cast<ptrdiff_t>(sizeof all)) return false;
        std::memcpy(&all, column.in, sizeof all);
        const uint32_t last = ~all & 0x80808080;  // the high bits of bytes without one
        if (last == 0) return false;
        const auto high = static_cast<unsigned>(std::countr_zero(last));
        all &= 0x7f7f7f7f & (~uint32_t{0} >> (31 - high));
        all = (all & 0x007f007f) | (all & 0x7f007f00) >> 1;
        value = (all & 0x3fff) | (all & 0x3fff0000) >> 2;
        column.in += high / 8 + 1;
        return true;
    }

    [[gnu::noinline]] bool get_long(Column& column, uint64_t& value) {
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
    [[gnu::always_inline]] void decode(unsigned key, T& value, coding::Plain, uint64_t&) {
        uint64_t raw = 0;
        if (get(key, raw)) value = static_cast<T>(raw);
    }
    template <class T>
    [[gnu::always_inline]] void decode(unsigned key, T& value, coding::Delta, uint64_t&) {
        uint64_t raw = 0;
        if (!get(key, raw)) return;
        last_[key] += static_cast<uint64_t>(unzigzag(raw));
        value = static_cast<T>(last_[key]);
    }
    void decode(unsigned key, Text& value, coding::Text, uint64_t&) {
        uint64_t length = 0;
        if (!get(key, length)) return;
        Column& column = columns_[key];
        // A record fits into a ring, and so does its text.
        if (length > static_cast<uint64_t>(column.end - column.in) || length > record_bytes_max) {
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
        if (!get(key, raw) || skips_addresses_) return;
        if (!predictor_.decode_released(raw, value)) ok_ = false;
    }

    Predictor predictor_;
    bool ok_ = false;
    bool skips_nodes_ = false;
    bool skips_addresses_ = false;
    uint64_t time_ = 0;
    Api release_api_ = Api::free;
    Column columns_[column_count] = {};
    uint64_t last_[column_count] = {};
};

}  // namespace memtrace
