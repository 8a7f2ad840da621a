// SPDX-License-Identifier: Apache-2.0
//
// The columns that most chunks consist of: the heads and times of all records, and the other fields
// of acquires and releases (columns.h defines how they become a payload).
//
// A thread writes these columns while its program waits. So each column is a plain array with room
// for a whole chunk, and no check is needed before a byte is written. Everything that changes from
// record to record, apart from the predictor's tables, is in this one small object. A loop over
// many events uses a local copy of it. The compiler can then prove that no byte written belongs to
// the copy, and keeps it in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memtrace/dump/format.h"
#include "memtrace/dump/predict.h"
#include "memtrace/dump/record_head.h"
#include "memtrace/dump/varint.h"

namespace memtrace {

inline constexpr unsigned columns_a_tag = 16;
static_assert(fields_max <= columns_a_tag);

inline constexpr unsigned column_heads = 0;
inline constexpr unsigned column_times = 1;
// Columns of the two records with short heads, in the order of their fields().
enum : unsigned {
    column_acquire_api = columns_a_tag * Acquire::tag,
    column_acquire_stack,
    column_acquire_size,
    column_acquire_address,
    column_release_api = columns_a_tag * Release::tag,
    column_release_address,
};

class EventColumns {
public:
    // Bytes of memory for chunks of at most `records` records.
    static constexpr size_t memory_bytes(size_t records) {
        return places * (records * varint_bytes_max + written_beyond);
    }

    EventColumns(uint8_t* memory, size_t records_max, PredictorTables& tables)
        : memory_(memory),
          bytes_a_column_(records_max * varint_bytes_max + written_beyond),
          predictor_(tables) {
        begin();
    }

    // Forgets what was written and begins a new chunk.
    void begin() {
        for (unsigned i = 0; i < places; ++i) ends_[i] = start_of(i);
        last_time_ = 0;
        release_api_ = Api::free;
        predictor_.begin();
    }

    // Appends a record, for which there must be room. Times must not decrease.
    [[gnu::always_inline]] void add(const Acquire& record) {
        uint8_t head = heads::short_bit;
        const auto unless_predicted = [&](uint64_t code, uint8_t bit, Place place) {
            if (code == 0) return;
            head |= bit;
            put(place, code);
        };
        unless_predicted(predictor_.encode_stack(record.stack), heads::stack_bit, of_stack);
        const uint64_t size = Predictor::with_code(record.size);
        unless_predicted(predictor_.encode_size(size), heads::size_bit, of_size);
        unless_predicted(predictor_.encode_api(record.api), heads::api_bit, of_api);
        const uint64_t address = predictor_.encode_acquired(record.address, size);
        if (address < heads::address_in_column) {
            head |= static_cast<uint8_t>(address);
        } else {
            head |= heads::address_in_column;
            put(of_address, address);
        }
        add_head(head, record.time);
    }

    [[gnu::always_inline]] void add(const Release& record) {
        const uint64_t address = predictor_.encode_released(record.address);
        constexpr uint8_t release = heads::short_bit | heads::release_bit;
        const bool is_other_api = record.api != release_api_;
        if (!is_other_api && (address & 1) == 0 && address <= 2 * heads::distance_max) [[likely]] {
            add_head(static_cast<uint8_t>(release | address / 2), record.time);
            return;
        }
        add_head(release | (is_other_api ? heads::with_api : heads::in_column), record.time);
        if (is_other_api) put(of_release_api, static_cast<uint64_t>(record.api));
        release_api_ = record.api;
        put(of_release_address, address);
    }

    // Appends only the head and the time of a record.
    [[gnu::always_inline]] void add_head(uint8_t head, uint64_t time) {
        *ends_[of_heads]++ = head;
        put(of_times, time - last_time_);
        last_time_ = time;
    }

    uint32_t record_count() const {
        return static_cast<uint32_t>(ends_[of_heads] - start_of(of_heads));
    }
    uint64_t last_time() const { return last_time_; }
    // 0 if there is no record yet.
    uint64_t first_time() const {
        uint64_t time = 0;
        read_varint(start_of(of_times), ends_[of_times], time);
        return time;
    }
    Predictor& predictor() { return predictor_; }

    // Calls visit(key, begin, end) for each column that is not empty.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (unsigned i = 0; i < places; ++i) {
            const uint8_t* const begin = start_of(i);
            const uint8_t* const end = ends_[i];
            if (begin != end) visit(columns[i], begin, end);
        }
    }

private:
    enum Place : unsigned {
        of_heads,
        of_times,
        of_api,
        of_stack,
        of_size,
        of_address,
        of_release_api,
        of_release_address,
        places
    };
    static constexpr unsigned columns[places] = {
        column_heads,        column_times,           column_acquire_api, column_acquire_stack,
        column_acquire_size, column_acquire_address, column_release_api, column_release_address};

    // write_varint() may write this many bytes more than the value has.
    static constexpr size_t written_beyond = 8;

    void put(Place place, uint64_t value) { ends_[place] = write_varint(ends_[place], value); }
    uint8_t* start_of(unsigned place) const { return memory_ + place * bytes_a_column_; }

    uint8_t* memory_;
    size_t bytes_a_column_;
    uint8_t* ends_[places];
    uint64_t last_time_ = 0;
    Api release_api_ = Api::free;
    Predictor predictor_;
};

}  // namespace memtrace
