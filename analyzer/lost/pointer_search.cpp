// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/pointer_search.h"

#include <algorithm>
#include <cstring>

#include "analyzer/lost/interior_pointers.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t word_bytes = sizeof(uint64_t);
constexpr size_t piece_bytes = size_t{256} << 10;  // It stays in a near cache.
constexpr uint64_t gap_max = 4096;  // What lies between two blocks is read with them.
constexpr size_t reads_max = 1024;
// C++'s new T[0] of a class with a destructor returns the end of a block that has only the number
// 0.
constexpr uint64_t empty_array_bytes = word_bytes;
constexpr uint64_t large_bytes = 64 << 10;  // A larger block may have pages that were never used.

// The words of a block that can be pointers.
LostRange words_of(const SearchedBlock& block) {
    const uint64_t begin = (block.address + word_bytes - 1) / word_bytes * word_bytes;
    const uint64_t end = (block.address + block.size) / word_bytes * word_bytes;
    return {begin, std::max(begin, end)};
}

}  // namespace

PointerSearch::PointerSearch(const BlockIndex& blocks, Memory& memory, IsAsGood is_as_good,
                             std::vector<uint16_t> pointed_from)
    : blocks_(blocks),
      memory_(memory),
      is_as_good_(std::move(is_as_good)),
      pointed_from_(std::move(pointed_from)),
      states_(blocks.size(), State::unreached),
      ahead_(memory, piece_bytes) {}

void PointerSearch::add_root(LostRange range) {
    reached_ = State::reachable;
    range.begin = (range.begin + word_bytes - 1) / word_bytes * word_bytes;
    range.end = range.end / word_bytes * word_bytes;
    if (range.begin >= range.end) return;
    memory_.for_each_own_part(range, [this](LostRange part) { scan(part); });
}

void PointerSearch::add_root_by_any(LostRange range) {
    counts_middles_ = true;
    add_root(range);
    counts_middles_ = false;
}

void PointerSearch::add_root_around_blocks(LostRange range) {
    for (uint32_t block = blocks_.first_from(range.begin); block < blocks_.size(); ++block) {
        const SearchedBlock& known = blocks_[block];
        if (known.address >= range.end) break;
        add_root({range.begin, known.address});
        range.begin = std::max(range.begin, known.address + known.size);
    }
    add_root(range);
}

void PointerSearch::add_word(uint64_t word) {
    reached_ = State::reachable;
    meet(word);
}

void PointerSearch::add_held(uint32_t block) { push(block, State::reachable); }

void PointerSearch::scan(LostRange range) {
    const auto next = [&range](MemoryPiece& piece) {
        if (range.begin >= range.end) return false;
        const LostRange part{range.begin, std::min(range.end, range.begin + piece_bytes)};
        range.begin = part.end;
        piece.ranges = {part};
        piece.words = {{0, part.end - part.begin}};
        return true;
    };
    ahead_.run(next, [this](const MemoryPiece& piece) { scan_piece(piece); });
}

void PointerSearch::scan_piece(const MemoryPiece& piece) {
    for (const LostRange& range : piece.words)
        scan_words(piece.bytes.data() + range.begin, range.end - range.begin);
}

void PointerSearch::scan_words(const uint8_t* bytes, size_t size) {
    for (size_t at = 0; at + word_bytes <= size; at += word_bytes) {
        uint64_t word;
        std::memcpy(&word, bytes + at, sizeof word);
        // Most words are no addresses of the heap.
        if (blocks_.is_near(word, empty_array_bytes + 1)) [[unlikely]]
            meet(word);
    }
}

uint32_t PointerSearch::block_of(uint64_t word) const {
    const uint32_t block = blocks_.find(word);
    constexpr uint64_t block_alignment = 2 * word_bytes;
    if (block != BlockIndex::none || word % block_alignment != empty_array_bytes) return block;
    const uint32_t before = blocks_.find(word - empty_array_bytes);
    return before != BlockIndex::none && is_empty_array(before, word) ? before : BlockIndex::none;
}

bool PointerSearch::is_empty_array(uint32_t block, uint64_t word) const {
    return blocks_[block].size == empty_array_bytes &&
           word == blocks_[block].address + empty_array_bytes;
}

// An array of no objects that are aligned to 16 bytes or more is known by its end, too, but only
// the block tells whether that is what it is. Most ends of blocks are pointed to for other reasons,
// and such a pointer does not even make a block possibly lost.
void PointerSearch::meet_end(uint64_t word) {
    if (reached_ != State::reachable || leader_ != BlockIndex::none) return;
    const uint32_t block = blocks_.find(word - 1);
    if (block == BlockIndex::none || states_[block] == State::reachable) return;
    const SearchedBlock& ended = blocks_[block];
    const bool is_end = ended.address + ended.size == word;
    if (is_end && is_head_of_array(ended.size)) keep_middle(block, word);
}

void PointerSearch::meet(uint64_t word) {
    const uint32_t block = block_of(word);
    if (block == BlockIndex::none) return meet_end(word);
    const bool is_anywhere = !pointed_from_.empty() && pointed_from_[block] != at_begin;
    if (is_anywhere && word - blocks_[block].address < pointed_from_[block]) return;
    if (leader_ != BlockIndex::none) {
        // A block that leads a clique is taken over by the one that points to it.
        State& state = states_[block];
        if (block == leader_) return;
        if (state == State::definitely) state = State::indirectly;
        else if (state == State::unreached) push(block, State::indirectly);
        return;
    }
    if (states_[block] >= reached_) return;
    if (is_anywhere || word == blocks_[block].address || is_empty_array(block, word) ||
        reached_ == State::possibly || counts_middles_)
        push(block, reached_);
    else keep_middle(block, word);
}

void PointerSearch::push(uint32_t block, State state) {
    states_[block] = state;
    pending_.push_back(block);
}

void PointerSearch::keep_middle(uint32_t block, uint64_t address) {
    const Found found{block, address};
    if (!middles_.empty() && middles_.back() == found) return;
    middles_.push_back(found);
    if (middles_.size() > middles_max_) drop_settled();
}

// Drops the pointers into the middle of blocks that are reachable all the same, and copies.
void PointerSearch::drop_settled() {
    std::erase_if(middles_,
                  [this](const Found& one) { return states_[one.block] == State::reachable; });
    std::sort(middles_.begin(), middles_.end(),
              [](const Found& a, const Found& b) { return a.address < b.address; });
    middles_.erase(std::unique(middles_.begin(), middles_.end()), middles_.end());
    middles_max_ = std::max<size_t>(middles_max_, middles_.size() * 2);
}

// Looks through all blocks that were reached, many at a time and in the order of addresses: the
// memory of neighbours comes with one read.
void PointerSearch::scan_pending() {
    std::vector<uint32_t> blocks;
    while (!pending_.empty()) {
        blocks.clear();
        std::swap(blocks, pending_);
        std::sort(blocks.begin(), blocks.end());
        size_t first = 0;
        const auto next = [&](MemoryPiece& piece) { return take_neighbours(blocks, first, piece); };
        while (first < blocks.size()) {
            ahead_.run(next, [this](const MemoryPiece& piece) { scan_piece(piece); });
            if (first == blocks.size()) break;
            const LostRange large = words_of(blocks_[blocks[first++]]);
            memory_.for_each_own_part(large, [this](LostRange part) { scan(part); });
        }
    }
}

// Takes some of the blocks from `first` on into a piece, up to the next large one. Returns false if
// there is none.
bool PointerSearch::take_neighbours(const std::vector<uint32_t>& blocks, size_t& first,
                                    MemoryPiece& piece) const {
    piece.ranges.clear();
    piece.words.clear();
    std::vector<LostRange>& reads = piece.ranges;
    size_t bytes = 0;
    for (; first < blocks.size() && blocks_[blocks[first]].size <= large_bytes; ++first) {
        const LostRange range = words_of(blocks_[blocks[first]]);
        if (range.begin == range.end) continue;
        const bool is_near = !reads.empty() && range.begin >= reads.back().end &&
                             range.begin - reads.back().end <= gap_max;
        const uint64_t more = range.end - (is_near ? reads.back().end : range.begin);
        if (bytes + more > piece_bytes || reads.size() >= reads_max) break;
        // Where the words of this block will lie in the piece.
        const uint64_t place = bytes + more - (range.end - range.begin);
        if (is_near) reads.back().end = range.end;
        else reads.push_back(range);
        piece.words.push_back({place, place + (range.end - range.begin)});
        bytes += more;
    }
    return !piece.words.empty();
}

// Follows pointers into the middle of blocks that are as good as others, until there is none left.
void PointerSearch::follow_as_good() {
    for (;;) {
        drop_settled();
        const std::vector<Found> found = middles_;
        for (const Found& one : found) {
            if (states_[one.block] == State::reachable) continue;
            if (is_as_good_(blocks_[one.block], one.address)) push(one.block, State::reachable);
        }
        if (pending_.empty()) return;
        scan_pending();
    }
}

void PointerSearch::find_cliques() {
    for (uint32_t block = 0; block < blocks_.size(); ++block) {
        if (states_[block] != State::unreached) continue;
        leader_ = block;
        push(block, State::definitely);
        scan_pending();
    }
    leader_ = BlockIndex::none;
}

const std::vector<PointerSearch::State>& PointerSearch::follow() {
    reached_ = State::reachable;
    scan_pending();
    follow_as_good();
    reached_ = State::possibly;
    for (const Found& one : middles_) {
        const bool is_end = one.address - blocks_[one.block].address == blocks_[one.block].size;
        if (states_[one.block] < State::possibly && !is_end) push(one.block, State::possibly);
    }
    scan_pending();
    return states_;
}

const std::vector<PointerSearch::State>& PointerSearch::finish() {
    follow();
    find_cliques();
    return states_;
}

const std::vector<PointerSearch::State>& PointerSearch::doubt(const std::vector<uint32_t>& blocks) {
    reached_ = State::possibly;
    for (const uint32_t block : blocks) {
        if (states_[block] < State::possibly) push(block, State::possibly);
    }
    scan_pending();
    return states_;
}

}  // namespace memtrace::analyzer
