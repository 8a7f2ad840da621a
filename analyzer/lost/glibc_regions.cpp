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
constexpr uint64_t is_mapped_bit = 2, flag_bits = 7;

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
