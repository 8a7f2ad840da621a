// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/column_reader.h"

#include <deque>
#include <memory>

#include "analyzer/reader/event.h"
#include "memtrace/dump/columns.h"
#include "memtrace/dump/record_head.h"
#include "tests/tools/random_records.h"
#include "tests/unit/test.h"

using namespace memtrace;
using analyzer::AnyRecord;
using test::RandomRecords;

namespace {

struct Written {
    std::vector<AnyRecord> records;
    std::vector<uint8_t> payload;
};

Written write_random(RandomRecords& random, size_t count, PredictorTables& tables) {
    Written written;
    std::vector<uint8_t> pool(ColumnWriter::pool_bytes(count) + count * 4000);
    const auto writer = std::make_unique<ColumnWriter>(pool.data(), pool.size(), count, tables);
    uint64_t time = random.number(40);
    for (size_t i = 0; i < count && writer->has_room(5000); ++i) {
        time += random.number(20);
        random.any(time, [&](const auto& record) {
            written.records.push_back(record);
            writer->add(record);
        });
    }
    written.payload.resize(writer->payload_bytes());
    written.payload.resize(writer->write_payload(written.payload.data()));
    CHECK(writer->record_count() == written.records.size());
    return written;
}

// Reads until the end or damage. Returns the number of records that equal the written records.
size_t read_back(const Written& written, PredictorTables& tables, ColumnReader::Result& last) {
    const auto reader =
        std::make_unique<ColumnReader>(written.payload.data(), written.payload.size(), tables);
    size_t equal = 0;
    size_t index = 0;
    do {
        last = reader->next([&](const auto& record) {
            using Record = std::decay_t<decltype(record)>;
            const Record* expected = index < written.records.size()
                                         ? std::get_if<Record>(&written.records[index])
                                         : nullptr;
            equal += expected != nullptr && test::equal_records(*expected, record);
            ++index;
        });
    } while (last == ColumnReader::Result::record || last == ColumnReader::Result::unknown_tag);
    return equal;
}

ColumnReader::Result read_first(const std::vector<uint8_t>& payload) {
    const auto tables = std::make_unique<PredictorTables>();
    return ColumnReader(payload.data(), payload.size(), *tables).next([](const auto&) {});
}

}  // namespace

TEST_CASE("every record comes back from columns as it was") {
    const auto writing = std::make_unique<PredictorTables>();
    const auto reading = std::make_unique<PredictorTables>();
    for (unsigned seed = 0; seed < 30; ++seed) {
        RandomRecords random(seed);
        const Written written = write_random(random, 1 + random.below(600), *writing);
        ColumnReader::Result last;
        REQUIRE(read_back(written, *reading, last) == written.records.size());
        REQUIRE(last == ColumnReader::Result::end);
    }
}

TEST_CASE("a payload that is cut or changed never reads out of bounds or without end") {
    RandomRecords random(11);
    const auto tables = std::make_unique<PredictorTables>();
    const Written whole = write_random(random, 300, *tables);
    ColumnReader::Result last;
    for (int i = 0; i < 2000; ++i) {
        Written damaged = whole;
        if (i % 2 == 0) damaged.payload.resize(random.below(whole.payload.size()));
        else
            damaged.payload[random.below(whole.payload.size())] ^=
                static_cast<uint8_t>(1 + random.below(255));
        damaged.payload.shrink_to_fit();
        read_back(damaged, *tables, last);
        REQUIRE((last == ColumnReader::Result::end || last == ColumnReader::Result::malformed));
    }
}

TEST_CASE("columns that a reader does not know are skipped, missing ones leave defaults") {
    //                     columns   tags  times  37 is unknown    the bytes
    const uint8_t payload[] = {4, 0, 1, 1, 1, 0x97, 0x4e, 3, 34, 1, Acquire::tag, 5, 9, 9, 9, 101};
    const auto tables = std::make_unique<PredictorTables>();
    ColumnReader reader(payload, sizeof payload, *tables);
    Acquire seen;
    const auto result = reader.next([&](const auto& record) {
        if constexpr (std::is_same_v<std::decay_t<decltype(record)>, Acquire>) seen = record;
    });
    CHECK(result == ColumnReader::Result::record);
    CHECK(seen.time == 5);
    CHECK(seen.size == 100);
    CHECK(seen.address == 0);
    CHECK(seen.api == Api::none);
    CHECK(reader.next([](const auto&) {}) == ColumnReader::Result::end);
}

TEST_CASE("a head with a bit that means nothing, or a value that is missing, is malformed") {
    //                                columns  heads  times  the bytes
    CHECK(read_first({2, 0, 1, 1, 1, 0x82 | 0x20, 5}) == ColumnReader::Result::malformed);
    CHECK(read_first({2, 0, 1, 1, 1, 0x83, 5}) == ColumnReader::Result::malformed);
    // An acquire with its stack in a column that is missing.
    CHECK(read_first({2, 0, 1, 1, 1, 0x80 | heads::stack_bit, 5}) ==
          ColumnReader::Result::malformed);
    // A release of a block that the chunk has not acquired.
    CHECK(read_first({2, 0, 1, 1, 1, 0xc1, 5}) == ColumnReader::Result::malformed);
    // The same acquire, just after a block of size 0 at address 0, as predicted.
    CHECK(read_first({2, 0, 1, 1, 1, 0x81, 5}) == ColumnReader::Result::record);
}
