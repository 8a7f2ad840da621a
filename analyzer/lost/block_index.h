// SPDX-License-Identifier: Apache-2.0
//
// Finds the block that an address lies in. There are millions of blocks and hundreds of millions of
// words that may be addresses, so a lookup is a few loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtrace::analyzer {

struct SearchedBlock {
    uint64_t address = 0;
    uint64_t size = 0;  // requested bytes
};

class BlockIndex {
public:
    static constexpr uint32_t none = UINT32_MAX;

    // The blocks may come in any order. If two overlap, the one with the higher address has what
    // both have.
    explicit BlockIndex(std::vector<SearchedBlock> blocks);

    size_t size() const { return blocks_.size(); }
    const SearchedBlock& operator[](uint32_t block) const { return blocks_[block]; }

    // False if no block contains this address or ends less than `behind` bytes before it.
    bool is_near(uint64_t address, uint64_t behind) const {
        return address - lowest_ < span_ + behind;
    }

    // Returns the block that contains this address, by number in the order of addresses. A block
    // of no bytes contains its own address.
    uint32_t find(uint64_t address) const {
        if (address - lowest_ >= span_) return none;
        const Stretch* stretch = stretch_of(address);
        if (stretch == nullptr) return none;
        const uint32_t block = last_until(*stretch, address);
        const SearchedBlock& found = blocks_[block];
        return address - found.address < found.size || address == found.address ? block : none;
    }

    // Returns the first block that begins at or behind the address; size() if none does.
    uint32_t first_from(uint64_t address) const;
    // True if a block begins in [begin, end).
    bool begins_in(uint64_t begin, uint64_t end) const;

private:
    static constexpr uint64_t gap_max = 16u << 20;  // between blocks of a stretch

    // Blocks that lie near each other.
    struct Stretch {
        uint64_t begin = 0;
        uint64_t end = 0;
        unsigned step_log = 0;  // of bytes
        // By step: the last block that begins at or before the step; one more for the end.
        std::vector<uint32_t> starts;
    };

    const Stretch* stretch_of(uint64_t address) const;
    // Returns the last block that begins at or before an address in the stretch.
    uint32_t last_until(const Stretch& stretch, uint64_t address) const {
        const uint64_t at = (address - stretch.begin) >> stretch.step_log;
        uint32_t low = stretch.starts[at], high = stretch.starts[at + 1];
        while (low < high) {
            const uint32_t middle = high - (high - low) / 2;
            if (blocks_[middle].address <= address) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    std::vector<SearchedBlock> blocks_;  // by address
    std::vector<Stretch> stretches_;     // by address
    uint64_t lowest_ = 0;
    uint64_t span_ = 0;
};

}  // namespace memtrace::analyzer
