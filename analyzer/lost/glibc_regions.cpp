// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/glibc_regions.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace memtrace::analyzer {
namespace {

constexpr uint64_t word_bytes = 8, page = 4096, heap_alignment = 64u << 20;

// glibc's struct malloc_state, since 2.26: a lock, flags, ten lists of small chunks, two pointers,
// 254 words of lists, a bitmap, two pointers and three numbers.
constexpr uint64_t before_lists = 112, list_bytes = 254 * word_bytes, behind_lists = 56;
constexpr int empty_lists_min = 16;  // so many are empty in every process

// Bits of the word with a chunk's size.
constexpr uint64_t is_mapped_bit = 2, flag_bits = 7, other_arena_bits = 6;
constexpr uint64_t head_bytes = 2 * word_bytes, chunk_bytes_min = 32;
constexpr uint64_t top_at = before_lists - 2 * word_bytes;

// Where malloc() finds that somebody else has taken memory behind its own, it ends its own with two
// chunks of no use. That end is one of a page.
constexpr uint64_t end_bytes = 3 * word_bytes, size_of_end = 0x10, is_used_bit = 1;

bool is_end_of_own(const uint64_t* words) {
    // The chunk before the first one may be free.
    return (words[0] & ~is_used_bit) == size_of_end && words[2] == (size_of_end | is_used_bit);
}

// True if a chunk begins here that may be the first one.
bool is_chunk(Memory& memory, LostRange range) {
    const uint64_t word = memory.word(range.begin + word_bytes), size = word & ~flag_bits;
    return (word & other_arena_bits) == 0 && size % head_bytes == 0 && size >= chunk_bytes_min &&
           size <= range.end - range.begin;
}

}  // namespace

std::optional<LostRange> find_main_arena(Memory& memory, LostRange data) {
    std::vector<uint64_t> words((data.end - data.begin) / word_bytes);
    memory.read({&data, 1}, reinterpret_cast<uint8_t*>(words.data()));
    uint64_t first = 0, last = 0;
    int count = 0;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        const uint64_t at = data.begin + i * word_bytes;
        if (words[i] != at - 2 * word_bytes || words[i + 1] != words[i]) continue;
        if (count == 0 || at - first > list_bytes) {
            if (count >= empty_lists_min) break;
            first = at;
            count = 0;
        }
        last = at;
        ++count;
    }
    if (count < empty_lists_min) return std::nullopt;
    // The lists of the largest chunks come last, and are empty; the first ones may not be.
    const uint64_t end = last + 2 * word_bytes;
    const uint64_t begin = std::min(first, end - std::min(end, list_bytes));
    return LostRange{begin - before_lists, std::max(end, begin + list_bytes) + behind_lists};
}

uint64_t top_of(Memory& memory, LostRange arena) { return memory.word(arena.begin + top_at); }

std::vector<LostRange> parts_of_others(Memory& memory, LostRange heap, uint64_t top,
                                       const BlockIndex& blocks) {
    std::vector<LostRange> parts;
    constexpr size_t looks_at_once = 1024;
    std::vector<LostRange> looks;  // at what lies in front of an end of a page
    std::vector<uint64_t> ends;    // of the gaps that these are in
    std::vector<uint64_t> words(looks_at_once * end_bytes / word_bytes);
    const auto look = [&] {
        memory.read(looks, reinterpret_cast<uint8_t*>(words.data()));
        for (size_t i = 0; i < looks.size(); ++i) {
            if (!is_end_of_own(&words[i * end_bytes / word_bytes])) continue;
            if (parts.empty() || parts.back().end != ends[i])
                parts.push_back({looks[i].end, ends[i]});
        }
        looks.clear();
        ends.clear();
    };
    const auto look_between = [&](uint64_t begin, uint64_t end) {
        for (uint64_t at = (begin / page + 1) * page; at <= end; at += page) {
            if (at - begin < end_bytes) continue;
            looks.push_back({at - end_bytes, at});
            ends.push_back(end);
            if (looks.size() == looks_at_once) look();
        }
    };
    uint64_t begin = heap.begin;
    for (uint32_t i = blocks.first_from(heap.begin); i < blocks.size(); ++i) {
        const SearchedBlock& block = blocks[i];
        if (block.address >= heap.end) break;
        const uint64_t end = block.address - head_bytes;
        if (begin == heap.begin && !is_chunk(memory, heap)) parts.push_back({begin, end});
        else look_between(begin, end);
        begin = block.address + block.size;
    }
    look_between(begin, std::max(begin, top));
    look();
    const uint64_t top_size = memory.word(top + word_bytes) & ~flag_bits;
    if (top_size < heap.end - top) parts.push_back({top + top_size, heap.end});
    return parts;
}

bool is_arena_heap(Memory& memory, const Mapping& mapping) {
    if (mapping.begin % heap_alignment != 0 || !mapping.write || mapping.is_shared) return false;
    if (!mapping.path.empty() && !mapping.path.starts_with('[')) return false;
    const uint64_t arena = memory.word(mapping.begin);
    const uint64_t size = memory.word(mapping.begin + 2 * word_bytes);
    const uint64_t accessible = memory.word(mapping.begin + 3 * word_bytes);
    return arena != 0 && size != 0 && size % page == 0 && size <= accessible &&
           accessible <= heap_alignment;
}

std::optional<LostRange> own_mapping_of(Memory& memory, const SearchedBlock& block) {
    constexpr uint64_t head = 2 * word_bytes;
    if (block.size + head + word_bytes < page || block.address % head != 0) return std::nullopt;
    const uint64_t chunk = block.address - head;
    const uint64_t size_word = memory.word(chunk + word_bytes);
    if ((size_word & is_mapped_bit) == 0) return std::nullopt;
    const uint64_t bytes = size_word & ~flag_bits;
    // An aligned block does not begin where its mapping does.
    const uint64_t begin = chunk - memory.word(chunk);
    const uint64_t end = chunk + bytes;
    if (begin % page != 0 || end % page != 0 || begin > chunk) return std::nullopt;
    return end >= block.address + block.size ? std::optional(LostRange{begin, end}) : std::nullopt;
}

}  // namespace memtrace::analyzer
