// SPDX-License-Identifier: Apache-2.0
//
// Decides which blocks are in a sample. Every requested byte is chosen with the same chance, 1 in
// `interval`. A block that contains a chosen byte is in the sample. The distance from one chosen
// byte to the next has an exponential distribution. So a thread counts it down, and most blocks
// cost one subtraction.
//
// The end of a block is recorded if its beginning was, so the addresses of sampled blocks are kept
// in a table. Nearly all blocks that are freed are not in it. A few counters that stay in the CPU
// cache tell that.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/writer/sample_levels.h"

namespace memtrace::preload {

class BlockSample {
public:
    // Returns false if there is no memory for the table.
    bool start(SampleLevels levels);
    // The same without a table: the sample only chooses.
    void start_choosing(SampleLevels levels) { levels_ = levels; }

    // Returns 0 if a block of this size is not in the sample, and else the level at which it was
    // chosen. Must be called once for each block. `left` is the thread's number of bytes until the
    // next chosen byte, 0 at first, and `level` that at which it was drawn. Bytes are chosen
    // independently of each other, so a thread may take up a new level between any two blocks.
    unsigned takes(uint32_t& left, uint8_t& level, uint64_t size) {
        if (size < left) [[likely]] {
            left -= static_cast<uint32_t>(size);
            return 0;
        }
        return takes_next(left, level, size);
    }

    // Adds the block to the table. Returns false if there is no room.
    bool add(uint64_t address);

    // Quick check: false if the block is certainly not in the table.
    bool may_have(uint64_t address) const {
        return filter_[hash(address, filter_bits)].load(std::memory_order_relaxed) != 0;
    }
    // Removes the block. Returns false if it was not in the table.
    bool remove(uint64_t address);
    bool has(uint64_t address) const { return find(address) != nullptr; }

    // Empties the table. For a forked child, whose dump has none of these blocks.
    void forget();
    // Begins another sequence of random numbers. For a forked child: with that of its parent, all
    // children would choose the same blocks.
    static void begin_sequence();

    // The natural logarithm of 2^64 / random, exact to about 1e-5. It is exponentially distributed
    // with a mean of 1 if all values of `random` are equally likely.
    static double exponential(uint64_t random);

private:
    unsigned takes_next(uint32_t& left, uint8_t& level, uint64_t size);
    uint32_t draw_distance(unsigned level) const;
    static uint64_t next_random();
    std::atomic<uint64_t>* find(uint64_t address) const;
    static uint64_t hash(uint64_t number, unsigned bits) {
        return number * 0x9e3779b97f4a7c15u >> (64 - bits);
    }
    // Addresses near each other have places near each other, so the table has few pages: a page of
    // places for each piece of addresses in which a few dozen live blocks are in the sample.
    uint64_t place_in_table(uint64_t address) const {
        const uint64_t piece = address >> address_bits_;
        return hash(piece >> page_bits, table_bits_ - page_bits) << page_bits |
               (piece & ((1u << page_bits) - 1));
    }

    static constexpr unsigned filter_bits = 15;
    static constexpr unsigned page_bits = 9;  // 512 places: 4 KiB
    // A counter that has reached this value stays there, so that no block in the table ever seems
    // absent.
    static constexpr uint8_t count_max = 200;
    static constexpr uint64_t removed = 1;
    // Blocks with the same place are stored one after another, up to this many.
    static constexpr unsigned probes_max = 64;

    SampleLevels levels_{1};
    unsigned table_bits_ = 0;
    unsigned address_bits_ = 0;               // of an address, that do not matter for its place
    std::atomic<uint64_t>* table_ = nullptr;  // addresses; 0 if never used
    std::atomic<uint8_t> filter_[1u << filter_bits] = {};
};

}  // namespace memtrace::preload
