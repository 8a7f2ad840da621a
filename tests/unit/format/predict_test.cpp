// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/predict.h"

#include <memory>
#include <random>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace;

// A writer's and a reader's table see the same values and must agree on every code, whatever the
// addresses are: from an allocator that reuses blocks, from a growing allocator, or nonsense.
TEST_CASE("reader and writer of a chunk predict alike") {
    const auto writing = std::make_unique<PredictorTables>();
    const auto reading = std::make_unique<PredictorTables>();
    Predictor writer(*writing);
    Predictor reader(*reading);
    std::mt19937_64 random(3);
    for (int chunk = 0; chunk < 20; ++chunk) {
        writer.begin();
        reader.begin();
        std::vector<uint64_t> live;
        uint64_t top = 0x10000;
        for (int i = 0; i < 10'000; ++i) {
            if (live.empty() || random() % 2 == 0) {
                const uint64_t size = random() % 7 == 0 ? random() >> 8 : 8 + random() % 500;
                const uint32_t stack =
                    static_cast<uint32_t>(random() % 11 == 0 ? random() : random() % 20);
                uint64_t address = top += 16 + random() % 600 / 16 * 16;
                if (random() % 3 == 0 && !live.empty()) address = live[random() % live.size()];
                if (random() % 50 == 0) address = random() >> 8;
                live.push_back(address);
                REQUIRE(reader.decode_stack(writer.encode_stack(stack)) == stack);
                REQUIRE(reader.decode_size(writer.encode_size(size)) == size);
                const Api api = random() % 9 == 0 ? Api::calloc : Api::malloc;
                REQUIRE(reader.decode_api(writer.encode_api(api)) == api);
                REQUIRE(reader.decode_acquired(writer.encode_acquired(address, size), size) ==
                        address);
            } else {
                const size_t place = random() % live.size();
                const uint64_t address = live[place];
                live[place] = live.back();
                live.pop_back();
                uint64_t back = 0;
                REQUIRE(reader.decode_released(writer.encode_released(address), back));
                REQUIRE(back == address);
            }
        }
    }
}

TEST_CASE("a block that an allocator hands out again costs nothing") {
    const auto tables = std::make_unique<PredictorTables>();
    Predictor predictor(*tables);
    predictor.encode_acquired(0x1000, 100);
    CHECK(predictor.encode_released(0x1000) == 2);
    CHECK(predictor.encode_acquired(0x1000, 100) == 0);
    CHECK(predictor.encode_acquired(0x1070, 100) == 1);  // 0x70: glibc's chunk for 100 bytes
}

TEST_CASE("a code that names a block of no acquisition is refused") {
    const auto tables = std::make_unique<PredictorTables>();
    Predictor predictor(*tables);
    uint64_t address = 0;
    CHECK_FALSE(predictor.decode_released(2, address));
    CHECK_FALSE(predictor.decode_released(0, address));
    predictor.decode_acquired(2, 8);
    CHECK(predictor.decode_released(2, address));
    CHECK_FALSE(predictor.decode_released(4, address));
}
