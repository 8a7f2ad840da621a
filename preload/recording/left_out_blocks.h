// SPDX-License-Identifier: Apache-2.0
//
// The live blocks that a recording has left out since it became a sample. The dump has every
// older block, and the shim has no list of those. So a release is left out only if this table
// knows the block. A release that is recorded needlessly costs a few bytes. One that is left out
// wrongly would be a leak that is none, so:
//
//   * A piece of addresses that has entered the table never leaves it. A bit can only be set for
//     the address that it stands for.
//   * A block that is recorded is removed first, for the case that the end of an earlier block at
//     its address was not seen.
//   * Where the table has no room, blocks are not in it.
//
// A piece of 256 KiB has 2 KiB of bits, one for each 16 bytes. Pages are touched when they are
// needed, so the table takes 0.8 % of the heap that is in use.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class LeftOutBlocks {
public:
    // Maps the table, which may fail. Then no block is ever in it.
    void start();

    void add(uint64_t address);
    bool has(uint64_t address) const;
    // Returns true if the block was in the table.
    bool remove(uint64_t address);

    // Empties the table. For a forked child, whose dump has none of these blocks.
    void forget();

private:
    static constexpr unsigned unit_bits = 4;    // Allocators align to 16 bytes, most of them.
    static constexpr unsigned piece_bits = 18;  // 256 KiB of addresses
    static constexpr unsigned table_bits = 15;  // pieces: 8 GiB of addresses
    static constexpr unsigned probes_max = 16;
    static constexpr unsigned words = 1u << (piece_bits - unit_bits - 6);

    struct Table {
        std::atomic<uint64_t> pieces[1u << table_bits];  // by place: its piece; 0: not used
        std::atomic<uint64_t> bits[1u << table_bits][words];
    };
    struct Bit {
        std::atomic<uint64_t>* word;  // nullptr: the table has no room for it
        uint64_t mask;
    };
    // `may_enter`: the piece is added if it is not there.
    Bit find(uint64_t address, bool may_enter) const;

    Table* table_ = nullptr;
};

}  // namespace memtrace::preload
