// SPDX-License-Identifier: Apache-2.0
//
// Records with random fields, for tests that must hold for every kind of record.
#pragma once

#include <deque>
#include <random>
#include <string>

#include "memtrace/dump/format.h"

namespace memtrace::test {

class RandomRecords {
public:
    explicit RandomRecords(unsigned seed) : random_(seed) {}

    uint64_t below(uint64_t limit) { return random_() % limit; }
    bool chance(unsigned percent) { return below(100) < percent; }

    // Returns small and large numbers about equally often.
    uint64_t number(unsigned bits_max) { return random_() >> (64 - 1 - below(bits_max)); }

    // Returns a record at `time`. Its Text fields live as long as this object.
    template <class Record>
    Record record(uint64_t time) {
        Record result;
        result.time = time;
        Record::fields(result, [&](const char*, auto& value, auto) {
            using Field = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Field, Text>) value = text();
            else if constexpr (std::is_enum_v<Field>) value = static_cast<Field>(below(200));
            else value = static_cast<Field>(number(std::min<unsigned>(56, sizeof(Field) * 8)));
        });
        return result;
    }

    // Calls use(record) with a record of a random kind.
    template <class Use>
    void any(uint64_t time, Use&& use) {
        const auto tag = static_cast<unsigned>(1 + below(tag_max));
        with_record(Records{}, tag,
                    [&]<class Record>(std::type_identity<Record>) { use(record<Record>(time)); });
    }

private:
    Text text() {
        std::string& result = texts_.emplace_back();
        const uint64_t length = chance(5) ? below(5000) : below(40);
        for (uint64_t i = 0; i < length; ++i) result.push_back(static_cast<char>(below(256)));
        return result;
    }

    std::mt19937_64 random_;
    std::deque<std::string> texts_;
};

// True if two records of one kind are equal, field by field.
template <class Record>
bool equal_records(const Record& a, const Record& b) {
    bool equal = a.time == b.time;
    size_t index = 0;
    Record::fields(a, [&](const char*, const auto& value, auto) {
        size_t other = 0;
        Record::fields(b, [&](const char*, const auto& that, auto) {
            if (other++ != index) return;
            if constexpr (std::is_same_v<decltype(value), decltype(that)>) equal &= value == that;
        });
        ++index;
    });
    return equal;
}

}  // namespace memtrace::test
