// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/long_record.h"

#include <vector>

#include "tests/tools/random_records.h"
#include "tests/unit/test.h"

using namespace memtrace;
using test::RandomRecords;

TEST_CASE("every record comes back from a row, and a short or long row does no harm") {
    RandomRecords random(7);
    for_each_record(Records{}, [&]<class Record>(std::type_identity<Record>) {
        for (int i = 0; i < 100; ++i) {
            const Record record = random.record<Record>(random.number(50));
            std::vector<uint8_t> row(row_bytes(record) + 1);
            uint8_t* const end = write_row(row.data(), record);
            Record back;
            REQUIRE(read_row(row.data(), end, back));
            REQUIRE(test::equal_records(record, back));
            *end = 0x17;  // a field of a newer writer
            REQUIRE(read_row(row.data(), end + 1, back));
            const uint8_t* cut = row.data() + random.below(static_cast<uint64_t>(end - row.data()));
            read_row(row.data(), cut, back);  // must only return
        }
    });
}
