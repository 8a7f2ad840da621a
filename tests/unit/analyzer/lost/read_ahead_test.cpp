// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/read_ahead.h"

#include <cstring>

#include "tests/unit/analyzer/lost/made_up_memory.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

constexpr uint64_t begin = 0x10000, piece_bytes = 256 << 10;

// Reads `pieces` pieces of this size, of which each has its number in its first word, and returns
// the numbers in the order in which they were looked at.
std::vector<uint64_t> numbers_read(uint64_t pieces, uint64_t bytes) {
    MadeUpMemory memory;
    for (uint64_t i = 0; i < pieces; ++i) memory.put(begin + i * bytes, {i + 1});
    ReadAhead ahead(memory, piece_bytes);
    uint64_t taken = 0;
    std::vector<uint64_t> found;
    ahead.run(
        [&](MemoryPiece& piece) {
            if (taken == pieces) return false;
            piece.ranges = {{begin + taken * bytes, begin + (taken + 1) * bytes}};
            ++taken;
            return true;
        },
        [&](const MemoryPiece& piece) {
            uint64_t word;
            std::memcpy(&word, piece.bytes.data(), sizeof word);
            found.push_back(word);
        });
    return found;
}

std::vector<uint64_t> numbers_to(uint64_t last) {
    std::vector<uint64_t> numbers;
    for (uint64_t i = 1; i <= last; ++i) numbers.push_back(i);
    return numbers;
}

}  // namespace

TEST_CASE("read_ahead: each piece is looked at once, in order, large or small") {
    CHECK(numbers_read(0, piece_bytes).empty());
    CHECK(numbers_read(1, piece_bytes) == numbers_to(1));
    CHECK(numbers_read(100, piece_bytes) == numbers_to(100));
    CHECK(numbers_read(1000, 64) == numbers_to(1000));
}

TEST_CASE("read_ahead: it can run again") {
    MadeUpMemory memory;
    memory.put(begin, {7});
    ReadAhead ahead(memory, piece_bytes);
    unsigned looked = 0;
    for (unsigned run = 0; run < 3; ++run) {
        bool is_first = true;
        ahead.run(
            [&](MemoryPiece& piece) {
                piece.ranges = {{begin, begin + piece_bytes}};
                return std::exchange(is_first, false);
            },
            [&](const MemoryPiece&) { ++looked; });
    }
    CHECK(looked == 3);
}

TEST_CASE("read_ahead: small pieces side by side are read together, upwards and downwards") {
    class CountingMemory : public MadeUpMemory {
    public:
        void read(std::span<const LostRange> ranges, uint8_t* to) override {
            ++reads;
            MadeUpMemory::read(ranges, to);
        }
        unsigned reads = 0;
    };
    constexpr uint64_t block = 64, blocks = 1000, first = 0x100000;
    for (const bool goes_down : {false, true}) {
        CountingMemory memory;
        for (uint64_t i = 0; i < blocks; ++i) memory.put(first + i * block, {i});
        ReadAhead ahead(memory, piece_bytes);
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < blocks; ++i) {
            const uint64_t number = goes_down ? blocks - 1 - i : i;
            bool is_first = true;
            ahead.run(
                [&](MemoryPiece& piece) {
                    piece.ranges = {{first + number * block, first + (number + 1) * block}};
                    return std::exchange(is_first, false);
                },
                [&](const MemoryPiece& piece) {
                    wrong += std::memcmp(piece.bytes.data(), &number, sizeof number) != 0;
                });
        }
        CHECK(wrong == 0);
        CHECK(memory.reads < blocks / 100);
    }
}
