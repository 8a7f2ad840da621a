// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/event_columns.h"

#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace;

namespace {

constexpr size_t records_max = 5'000;

// Columns with their own memory.
struct Chunk {
    std::vector<uint8_t> memory = std::vector<uint8_t>(EventColumns::memory_bytes(records_max));
    std::unique_ptr<PredictorTables> tables = std::make_unique<PredictorTables>();
    EventColumns columns{memory.data(), records_max, *tables};

    std::map<unsigned, std::vector<uint8_t>> bytes() const {
        std::map<unsigned, std::vector<uint8_t>> found;
        columns.for_each([&](unsigned key, const uint8_t* begin, const uint8_t* end) {
            found[key].assign(begin, end);
        });
        return found;
    }
};

// Adds record `number` of an endless program: blocks of any size at any place, some of them
// released.
void add(EventColumns& columns, uint64_t number) {
    std::mt19937_64 random(number);
    const uint64_t time = number * 100 + random() % 90;
    const uint64_t address = random() % 40 == 0 ? random() >> 8 : 0x1000 + random() % 64 * 16;
    if (random() % 2 == 0) {
        const auto stack = static_cast<uint32_t>(random() % 9 == 0 ? random() : random() % 30);
        columns.add(Acquire{time, Api::malloc, stack, random() >> random() % 64, address});
    } else {
        columns.add(Release{time, random() % 5 == 0 ? Api::cfree : Api::free, address});
    }
}

}  // namespace

TEST_CASE("records that are added to a copy, which is then taken back, are the same chunk",
          "[event_columns]") {
    Chunk one;
    Chunk other;
    for (uint64_t i = 0; i < records_max; ++i) add(one.columns, i);
    for (uint64_t i = 0; i < records_max;) {
        EventColumns copy = other.columns;
        for (const uint64_t end = i + 7; i < end && i < records_max; ++i) add(copy, i);
        other.columns = copy;
    }
    CHECK(one.bytes() == other.bytes());
    CHECK(one.columns.record_count() == records_max);
    CHECK(other.columns.record_count() == records_max);
}

TEST_CASE("a chunk as large as can be stays within its memory", "[event_columns]") {
    Chunk chunk;
    std::mt19937_64 random(1);
    // The longest possible value each time.
    for (uint64_t i = 0; i < records_max; ++i) {
        const auto far = [&] { return random() | uint64_t{1} << 63; };
        chunk.columns.add(Acquire{i << 50, i % 2 == 0 ? Api::malloc : Api::calloc,
                                  static_cast<uint32_t>(far()), far() - 1, far() - 1});
    }
    for (const auto& [key, bytes] : chunk.bytes()) {
        INFO("column " << key);
        CHECK(bytes.size() <= records_max * varint_bytes_max);
    }
}

TEST_CASE("the first and the last time are known, and forgotten with the chunk",
          "[event_columns]") {
    Chunk chunk;
    CHECK(chunk.columns.first_time() == 0);
    chunk.columns.add(Acquire{300, Api::malloc, 1, 8, 0x1000});
    chunk.columns.add_head(Node::tag, 300);
    chunk.columns.add(Release{70'000, Api::free, 0x1000});
    CHECK(chunk.columns.first_time() == 300);
    CHECK(chunk.columns.last_time() == 70'000);
    CHECK(chunk.columns.record_count() == 3);
    chunk.columns.begin();
    CHECK(chunk.columns.record_count() == 0);
    CHECK(chunk.columns.first_time() == 0);
    CHECK(chunk.bytes().empty());
}
