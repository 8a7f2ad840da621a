// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/left_out_blocks.h"

#include "preload/base/sys.h"

namespace memtrace::preload {

void LeftOutBlocks::start() {
    if (table_ != nullptr) return;
    table_ = static_cast<Table*>(sys::map_private(sizeof(Table)));
    if (table_ != nullptr) sys::advise(table_, sizeof(Table), MADV_NOHUGEPAGE);
}

LeftOutBlocks::Bit LeftOutBlocks::find(uint64_t address, bool may_enter) const {
    constexpr uint64_t unit = uint64_t{1} << unit_bits;
    // Two blocks must not have the same bit.
    if (table_ == nullptr || address % unit != 0) return {nullptr, 0};
    const uint64_t piece = (address >> piece_bits) + 1;  // never 0
    const uint64_t in_piece = (address >> unit_bits) % (uint64_t{words} * 64);
    uint64_t place = piece * 0x9e3779b97f4a7c15u >> (64 - table_bits);
    for (unsigned i = 0; i < probes_max; ++i, ++place) {
        place &= (1u << table_bits) - 1;
        std::atomic<uint64_t>& entry = table_->pieces[place];
        uint64_t there = entry.load(std::memory_order_relaxed);
        if (there == 0 && may_enter && entry.compare_exchange_strong(there, piece)) there = piece;
        if (there == 0) break;
        if (there == piece) {
            return {&table_->bits[place][in_piece / 64], uint64_t{1} << in_piece % 64};
        }
    }
    return {nullptr, 0};
}

// Whoever has the block is alone with its bit. Its word has those of other blocks, too.
void LeftOutBlocks::add(uint64_t address) {
    const Bit bit = find(address, true);
    if (bit.word != nullptr) bit.word->fetch_or(bit.mask, std::memory_order_relaxed);
}

bool LeftOutBlocks::has(uint64_t address) const {
    const Bit bit = find(address, false);
    return bit.word != nullptr && (bit.word->load(std::memory_order_relaxed) & bit.mask) != 0;
}

bool LeftOutBlocks::remove(uint64_t address) {
    const Bit bit = find(address, false);
    if (bit.word == nullptr) return false;
    if ((bit.word->load(std::memory_order_relaxed) & bit.mask) == 0) return false;
    return (bit.word->fetch_and(~bit.mask, std::memory_order_relaxed) & bit.mask) != 0;
}

void LeftOutBlocks::forget() {
    if (table_ != nullptr) sys::advise(table_, sizeof(Table), MADV_DONTNEED);
}

}  // namespace memtrace::preload
