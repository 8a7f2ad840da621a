// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/heap_pages.h"

#include <algorithm>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {
namespace {

// In glibc a chunk begins 8 bytes before its block with a word for its size. The sum is rounded up
// to a multiple of 16, and is at least 32.
constexpr uint64_t header_bytes = 8;
constexpr uint64_t chunk_step = 16;
constexpr uint64_t chunk_min = 32;

uint64_t chunk_bytes(uint64_t size) {
    const uint64_t rounded = (size + header_bytes + chunk_step - 1) / chunk_step * chunk_step;
    return std::max(rounded, chunk_min);
}

// What the allocator uses for a block.
AddressRange chunk_of(const HeldBlock& block, const AddressRange& piece, HeapKind kind) {
    switch (kind) {
        case HeapKind::single_block: return piece;
        case HeapKind::growing: {
            const uint64_t begin = block.address - header_bytes;
            return {begin, begin + chunk_bytes(block.size)};
        }
        case HeapKind::unknown: break;
    }
    return {block.address, block.address + block.size};
}

bool has_whole_page(uint64_t begin, uint64_t end) {
    return end - begin >= page_bytes && (begin + page_bytes - 1) / page_bytes < end / page_bytes;
}

}  // namespace

void add_heap_piece(HeapUse& use, const AddressRange& piece, HeapKind kind,
                    std::span<const HeldBlock> blocks, const ResidentRanges& resident) {
    uint64_t at = piece.begin;  // end of what is counted
    for (size_t i = 0; i < blocks.size(); ++i) {
        const HeldBlock& block = blocks[i];
        // Nothing may be counted twice, even if a damaged dump has blocks that overlap.
        const uint64_t limit = i + 1 < blocks.size() ? blocks[i + 1].address : piece.end;
        const uint64_t block_begin = std::max(at, block.address);
        const uint64_t block_end =
            std::clamp(block.size > limit - block.address ? limit : block.address + block.size,
                       block_begin, std::max(block_begin, limit));
        AddressRange chunk = chunk_of(block, piece, kind);
        chunk.begin = std::clamp(chunk.begin, at, block_begin);
        chunk.end = std::clamp(chunk.end, block_end, std::max(block_end, limit));
        // Most blocks lie in pages that are all resident, and are counted without a search.
        const bool is_resident = resident.has_all(at, chunk.end);
        const auto bytes_in = [&](uint64_t begin, uint64_t end) {
            return is_resident ? end - begin : resident.bytes_in(begin, end);
        };
        const uint64_t gap_pages =
            has_whole_page(at, chunk.begin) ? resident.whole_pages_in(at, chunk.begin) : 0;
        use.free += bytes_in(at, chunk.begin);
        use.free_pages += gap_pages;
        if (gap_pages > 0 && kind == HeapKind::growing) {
            use.pinned += gap_pages;
            HostPin& pin = use.pins[block.stack];
            pin.stack = block.stack;
            pin.blocks += 1;
            pin.block_bytes += block.size;
            pin.free_bytes += gap_pages;
        }
        use.blocks += bytes_in(block_begin, block_end);
        use.overhead += bytes_in(chunk.begin, block_begin) + bytes_in(block_end, chunk.end);
        at = chunk.end;
    }
    const uint64_t top_pages = resident.whole_pages_in(at, piece.end);
    use.free += resident.bytes_in(at, piece.end);
    use.free_pages += top_pages;
    if (kind == HeapKind::growing) use.free_at_top += top_pages;
}

std::vector<HostPin> largest_pins(const HeapUse& use, size_t count) {
    std::vector<HostPin> pins;
    for (const auto& [stack, pin] : use.pins) pins.push_back(pin);
    std::stable_sort(pins.begin(), pins.end(), [](const HostPin& a, const HostPin& b) {
        return a.free_bytes > b.free_bytes;
    });
    if (pins.size() > count) pins.resize(count);
    return pins;
}

}  // namespace memtrace::analyzer
