// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/host_ledger.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/ledger/heap_pages.h"
#include "analyzer/model/known_modules.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t arena_bytes = uint64_t{64} << 20;  // glibc's HEAP_MAX_SIZE
constexpr uint64_t block_offset = 16;  // of a block in the mapping that glibc made for it
constexpr size_t pins_max = 20;
constexpr size_t untouched_max = 20;
constexpr uint64_t untouched_min = uint64_t{1} << 20;  // bytes of a call site; less says little

bool lies_before(const HeldBlock& a, const HeldBlock& b) { return a.address < b.address; }

// Sorts by address, and needs no memory for it: there are up to millions of blocks, in the order of
// a hash table, at a moment when the replay itself takes most. Blocks are put into groups by the
// highest digit in which addresses differ, and then each group is sorted.
void sort_by_address(std::span<HeldBlock> blocks) {
    constexpr unsigned digit_bits = 8;
    constexpr size_t digits = size_t{1} << digit_bits;
    constexpr size_t few = 64;
    if (blocks.size() < few) return std::sort(blocks.begin(), blocks.end(), lies_before);
    uint64_t differing = 0;
    for (const HeldBlock& block : blocks) differing |= block.address ^ blocks.front().address;
    const auto bits = static_cast<unsigned>(std::bit_width(differing));
    const unsigned shift = bits > digit_bits ? bits - digit_bits : 0;
    const auto digit = [&](const HeldBlock& block) {
        return block.address >> shift & (digits - 1);
    };
    std::array<size_t, digits> ends{}, places{};  // of the groups, and of what is put into them
    for (const HeldBlock& block : blocks) ++ends[digit(block)];
    size_t end = 0;
    for (size_t group = 0; group < digits; ++group) {
        places[group] = end;
        ends[group] = end += ends[group];
    }
    for (size_t group = 0; group < digits; ++group) {
        while (places[group] < ends[group]) {
            HeldBlock block = blocks[places[group]];
            // Whatever lies in the block's place is the next to be put into its own.
            for (size_t of = digit(block); of != group; of = digit(block)) {
                std::swap(block, blocks[places[of]++]);
            }
            blocks[places[group]++] = block;
        }
    }
    if (shift == 0) return;
    for (size_t group = 0, begin = 0; group < digits; begin = ends[group++]) {
        sort_by_address(blocks.subspan(begin, ends[group] - begin));
    }
}

// Returns the blocks that begin in [begin, end).
std::span<const HeldBlock> blocks_in(const std::vector<HeldBlock>& blocks, uint64_t begin,
                                     uint64_t end) {
    const auto first =
        std::lower_bound(blocks.begin(), blocks.end(), HeldBlock{begin, 0, 0}, lies_before);
    const auto last = std::lower_bound(first, blocks.end(), HeldBlock{end, 0, 0}, lies_before);
    return {first, last};
}

class LedgerMaker {
public:
    LedgerMaker(const HostSnapshot& snapshot, HeldMemory held)
        : snapshot_(snapshot), held_(std::move(held)) {
        sort_by_address(held_.heap);
        sort_by_address(held_.objects);
        ledger_.time_ns = snapshot.moment.time;
        ledger_.occasion = snapshot.moment.occasion;
        ledger_.unknown_regions = snapshot.end.unknown;
    }

    HostLedger make() {
        for (const SnapshotRegion& region : snapshot_.regions) add_region(region);
        for (const HeldBlock& block : held_.heap) ledger_.heap_held += block.size;
        part(HostPart::heap_blocks) = heap_.blocks;
        part(HostPart::heap_overhead) = heap_.overhead;
        part(HostPart::heap_free) = heap_.free;
        part(HostPart::python_objects) = objects_.blocks;
        part(HostPart::python_free) = objects_.free;
        ledger_.free_pages = heap_.free_pages;
        ledger_.free_at_top = heap_.free_at_top;
        ledger_.pinned = heap_.pinned;
        ledger_.pins = largest_pins(heap_, pins_max);
        list_untouched();
        return std::move(ledger_);
    }

private:
    // A piece of a region that rule 1, 2 or 4 claims.
    struct Claim {
        AddressRange range;
        HostPart part;
        uint32_t stack = no_stack;  // of what the program mapped
    };

    uint64_t& part(HostPart which) { return ledger_.parts[static_cast<size_t>(which)]; }

    void add_region(const SnapshotRegion& region) {
        ledger_.resident += region.rss;
        ledger_.swapped += region.swap;
        ledger_.shared_with_others += region.shared;
        const std::string_view path = region.path;
        const bool is_named = !path.empty() && path[0] != '[';
        const bool is_library = is_named && is_shim_module(path);
        if (is_named && (region.access & access_shared) == 0) {
            last_file_end_ = region.end;
            last_file_is_own_ = is_library;
        }
        if (is_library || (is_named && is_own(region.begin))) {
            part(HostPart::memtrace) += region.rss;
            return;
        }
        if ((region.access & access_shared) != 0) {
            part(part_of_shared(path)) += region.rss;
        } else if (is_named) {
            part(HostPart::files) += region.rss - std::min(region.rss, region.anonymous);
            part(HostPart::file_copies) += std::min(region.rss, region.anonymous);
        } else if (path.starts_with("[stack")) {
            part(HostPart::stacks) += region.rss;
        } else if (path.starts_with("[v")) {  // vdso, vvar, vsyscall: the kernel's
            part(HostPart::files) += region.rss;
        } else {
            add_anonymous(region);
        }
    }

    // What a shared mapping with this path is.
    static HostPart part_of_shared(std::string_view path) {
        const auto is_below = [&](std::initializer_list<const char*> names) {
            return std::any_of(names.begin(), names.end(),
                               [&](const char* name) { return path.starts_with(name); });
        };
        if (path.empty() || is_below({"/dev/shm/", "/memfd:", "/dev/zero", "/SYSV", "["})) {
            return HostPart::shared;
        }
        // Memory of the host that the driver shares with the card: pinned memory and its own.
        if (is_below({"/dev/nvidia", "/dev/kfd", "/dev/dri/"})) return HostPart::gpu_driver;
        return HostPart::files;
    }

    bool is_own(uint64_t address) const {
        const auto after = std::upper_bound(
            snapshot_.own.begin(), snapshot_.own.end(), address,
            [](uint64_t value, const AddressRange& range) { return value < range.begin; });
        return after != snapshot_.own.begin() && address < std::prev(after)->end;
    }

    std::vector<Claim> claims_in(const SnapshotRegion& region) const {
        std::vector<Claim> claims;
        const auto claim = [&](uint64_t begin, uint64_t end, HostPart part,
                               uint32_t stack = no_stack) {
            if (begin >= region.end || end <= region.begin) return;
            claims.push_back({{begin, end}, part, stack});
        };
        for (const AddressRange& own : snapshot_.own) claim(own.begin, own.end, HostPart::memtrace);
        for (const HeldMapping& mapping : held_.mappings) {
            claim(mapping.begin, mapping.end, mapping.part, mapping.stack);
        }
        // In an arena, a block's address is no sign of a mapping of its own.
        if (region.path.empty() && region.begin % arena_bytes != 0) {
            for (const HeldBlock& block : blocks_in(held_.heap, region.begin, region.end)) {
                if (block.address % page_bytes != block_offset || block.size < page_bytes) continue;
                const uint64_t end = block.address + block.size;
                claim(block.address - block_offset,
                      (end + page_bytes - 1) / page_bytes * page_bytes, HostPart::heap_blocks);
            }
        }
        std::stable_sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
            return a.range.begin < b.range.begin;
        });
        return claims;
    }

    void add_anonymous(const SnapshotRegion& region) {
        const std::vector<Claim> claims = claims_in(region);
        const bool is_full = region.rss == region.end - region.begin;
        if (region.resident.empty() && !is_full && region.rss != 0)
            return add_not_looked_up(region, claims);
        std::vector<AddressRange> pages = region.resident;
        if (pages.empty() && is_full) pages = {{region.begin, region.end}};
        const ResidentRanges resident(std::move(pages));
        uint64_t at = region.begin;
        for (const Claim& claim : claims) {
            const uint64_t begin = std::max(claim.range.begin, at);
            const uint64_t end = std::min(claim.range.end, region.end);
            if (begin >= end) continue;
            add_unclaimed({at, begin}, region, resident);
            add_claimed({{begin, end}, claim.part, claim.stack}, resident);
            at = end;
        }
        add_unclaimed({at, region.end}, region, resident);
    }

    // A large region with few resident pages. They belong to the mapping that is all of the region.
    void add_not_looked_up(const SnapshotRegion& region, const std::vector<Claim>& claims) {
        const bool is_one = claims.size() == 1 && claims[0].part == HostPart::mappings &&
                            claims[0].range.begin <= region.begin &&
                            claims[0].range.end >= region.end;
        if (is_one) {
            part(HostPart::mappings) += region.rss;
            resident_of_[claims[0].stack] += region.rss;
            ledger_.unknown_regions -= std::min<uint64_t>(ledger_.unknown_regions, 1);
            return;
        }
        for (const Claim& claim : claims) has_unknown_.insert(claim.stack);
    }

    // Compares what each call site mapped with what of it is resident. A mapping of which nothing
    // is resident has no region.
    void list_untouched() {
        std::map<uint32_t, uint64_t> mapped;
        for (const HeldMapping& mapping : held_.mappings) {
            const bool counts =
                mapping.part == HostPart::mappings && !has_unknown_.contains(mapping.stack);
            if (counts) mapped[mapping.stack] += mapping.end - mapping.begin;
        }
        for (const auto& [stack, bytes] : mapped) {
            const uint64_t resident = std::min(bytes, resident_of_[stack]);
            ledger_.mapped += bytes;
            ledger_.not_touched += bytes - resident;
            if (bytes - resident >= untouched_min)
                ledger_.untouched.push_back({stack, bytes, resident});
        }
        std::stable_sort(ledger_.untouched.begin(), ledger_.untouched.end(),
                         [](const HostUntouched& a, const HostUntouched& b) {
                             return a.mapped - a.resident > b.mapped - b.resident;
                         });
        if (ledger_.untouched.size() > untouched_max) ledger_.untouched.resize(untouched_max);
    }

    void add_claimed(const Claim& claim, const ResidentRanges& resident) {
        const auto& [piece, of, stack] = claim;
        if (of == HostPart::mappings)
            resident_of_[stack] += resident.bytes_in(piece.begin, piece.end);
        const auto blocks = blocks_in(held_.heap, piece.begin, piece.end);
        if (of == HostPart::heap_blocks) {
            add_heap_piece(heap_, piece, HeapKind::single_block, blocks.first(1), resident);
        } else if (of == HostPart::python_arenas && held_.has_all_objects) {
            add_heap_piece(objects_, piece, HeapKind::unknown,
                           blocks_in(held_.objects, piece.begin, piece.end), resident);
        } else if (of == HostPart::mappings && !blocks.empty()) {
            add_heap_piece(heap_, piece, HeapKind::unknown, blocks, resident);
        } else {
            part(of) += resident.bytes_in(piece.begin, piece.end);
        }
    }

    void add_unclaimed(AddressRange piece, const SnapshotRegion& region,
                       const ResidentRanges& resident) {
        if (!region.path.empty()) return add_unclaimed_piece(piece, region, resident);
        while (piece.begin < piece.end) {
            const uint64_t next = (piece.begin / arena_bytes + 1) * arena_bytes;
            const uint64_t end = std::min(next, piece.end);
            add_unclaimed_piece({piece.begin, end}, region, resident);
            piece.begin = end;
        }
    }

    void add_unclaimed_piece(const AddressRange& piece, const SnapshotRegion& region,
                             const ResidentRanges& resident) {
        if (piece.begin >= piece.end) return;
        const auto blocks = blocks_in(held_.heap, piece.begin, piece.end);
        const bool is_first = piece.begin == region.begin;
        const uint64_t bytes = resident.bytes_in(piece.begin, piece.end);
        const bool may_be_arena = piece.begin % arena_bytes == 0 && region.path.empty();
        if (region.path.starts_with("[heap") || (may_be_arena && (is_first || !blocks.empty()))) {
            add_heap_piece(heap_, piece, HeapKind::growing, blocks, resident);
        } else if (contains_stack(piece)) {
            part(HostPart::stacks) += bytes;
        } else if (!blocks.empty()) {
            add_heap_piece(heap_, piece, HeapKind::unknown, blocks, resident);
        } else if (is_first && (region.access & access_guarded) != 0) {
            part(HostPart::stacks) += bytes;
        } else if (piece.begin == last_file_end_) {
            part(last_file_is_own_ ? HostPart::memtrace : HostPart::file_copies) += bytes;
            // Variables may be longer than the distance between two places where arenas begin.
            last_file_end_ = piece.end;
        }
    }

    bool contains_stack(const AddressRange& piece) const {
        const auto found =
            std::lower_bound(snapshot_.stacks.begin(), snapshot_.stacks.end(), piece.begin);
        return found != snapshot_.stacks.end() && *found < piece.end;
    }

    const HostSnapshot& snapshot_;
    HeldMemory held_;
    HostLedger ledger_;
    HeapUse heap_;
    HeapUse objects_;
    std::map<uint32_t, uint64_t> resident_of_;  // mapped by this stack
    std::set<uint32_t> has_unknown_;            // stacks with a mapping that was not looked up
    uint64_t last_file_end_ = 0;
    bool last_file_is_own_ = false;
};

}  // namespace

HostLedger make_host_ledger(const HostSnapshot& snapshot, HeldMemory held) {
    return LedgerMaker(snapshot, std::move(held)).make();
}

}  // namespace memtrace::analyzer
