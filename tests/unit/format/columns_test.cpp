// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/columns.h"

#include <memory>
#include <vector>

#include "memtrace/dump/column_reader.h"
#include "tests/unit/test.h"

using namespace memtrace;

namespace {

// Returns the payload of a chunk with these records.
template <class... Record>
std::vector<uint8_t> payload_of(const Record&... records) {
    const auto tables = std::make_unique<PredictorTables>();
    std::vector<uint8_t> pool(ColumnWriter::pool_bytes(sizeof...(records)) + 5000);
    const auto writer =
        std::make_unique<ColumnWriter>(pool.data(), pool.size(), sizeof...(records), *tables);
    (writer->add(records), ...);
    std::vector<uint8_t> payload(writer->payload_bytes());
    payload.resize(writer->write_payload(payload.data()));
    return payload;
}

}  // namespace

TEST_CASE("events that are as predicted take one byte, and one for the time") {
    const Acquire acquire{5, Api::malloc, 7, 40, 0x1000};
    const Release release{9, Api::free, 0x1000};
    Acquire again = acquire;
    again.time = 12;
    Release at_last = release;
    at_last.time = 13;
    // The second stack is not yet known to follow the first.
    Acquire third = acquire;
    third.time = 14;
    Release gone = release;
    gone.time = 15;
    const size_t known = payload_of(acquire, release, again, at_last, third, gone).size();
    Acquire fourth = acquire;
    fourth.time = 16;
    Release over = release;
    over.time = 17;
    const std::vector<uint8_t> more =
        payload_of(acquire, release, again, at_last, third, gone, fourth, over);
    CHECK(more.size() - known == 4);
}

TEST_CASE("a release says its api where it is not the last one's, and only there") {
    const auto payload_with_last = [](Api last) {
        return payload_of(Acquire{1, Api::malloc, 1, 8, 0x1000}, Release{2, Api::cfree, 0x1000},
                          Acquire{3, Api::malloc, 1, 8, 0x1000}, Release{4, last, 0x1000});
    };
    const std::vector<uint8_t> same = payload_with_last(Api::cfree);
    // The api, and the address, because the head then has no room for it.
    CHECK(payload_with_last(Api::free).size() == same.size() + 2);
    const auto tables = std::make_unique<PredictorTables>();
    ColumnReader reader(same.data(), same.size(), *tables);
    std::vector<Api> seen;
    const auto visit = [&](const auto& record) {
        if constexpr (std::is_same_v<std::decay_t<decltype(record)>, Release>) {
            seen.push_back(record.api);
            CHECK(record.address == 0x1000);
        }
    };
    while (reader.next(visit) == ColumnReader::Result::record) {
    }
    CHECK(seen == std::vector<Api>{Api::cfree, Api::cfree});
}
