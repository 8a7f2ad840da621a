// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/interior_pointers.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

constexpr uint64_t word_bytes = sizeof(uint64_t);

}  // namespace

bool is_head_of_array(uint64_t bytes) {
    constexpr uint64_t alignment_max = 4096;
    return bytes >= word_bytes && bytes <= alignment_max && (bytes & (bytes - 1)) == 0;
}

bool InteriorPointers::is_as_good(const SearchedBlock& block, uint64_t address) {
    return is_old_string(block, address) || is_array(block, address) ||
           has_own_size(block, address) || is_thread_vector(block, address) ||
           is_base(block, address);
}

bool InteriorPointers::is_old_string(const SearchedBlock& block, uint64_t address) {
    constexpr uint64_t head = 3 * word_bytes;
    if (address - block.address != head || block.size < head + 1) return false;
    const uint64_t length = memory_.word(block.address);
    const uint64_t capacity = memory_.word(block.address + word_bytes);
    return length <= capacity && capacity == block.size - head - 1;
}

// The number lies in front of the objects, behind what their alignment needs more than a word.
bool InteriorPointers::is_array(const SearchedBlock& block, uint64_t address) {
    const uint64_t head = address - block.address;
    if (!is_head_of_array(head) || block.size < head) return false;
    const uint64_t count = memory_.word(address - word_bytes);
    const uint64_t bytes = block.size - head;
    // Objects have a size that is a multiple of their alignment.
    if (count == 0 || bytes == 0) return count == 0 && bytes == 0;
    return count <= bytes && bytes % count == 0 &&
           (head == word_bytes || bytes / count % head == 0);
}

bool InteriorPointers::has_own_size(const SearchedBlock& block, uint64_t address) {
    if (address - block.address != word_bytes || block.size <= word_bytes) return false;
    return memory_.word(block.address) == block.size - word_bytes;
}

// glibc allocates a vector of n + 2 entries of two words, whose first word is n.
bool InteriorPointers::is_thread_vector(const SearchedBlock& block, uint64_t address) {
    constexpr uint64_t entry = 2 * word_bytes;
    if (address - block.address != entry || block.size % entry != 0) return false;
    return block.size > 2 * entry && memory_.word(block.address) == block.size / entry - 2;
}

bool InteriorPointers::is_base(const SearchedBlock& block, uint64_t address) {
    if (address % word_bytes != 0 || block.size < 2 * word_bytes) return false;
    if (block.size - (address - block.address) < word_bytes) return false;
    return is_table_of_functions(memory_.word(address)) &&
           is_table_of_functions(memory_.word(block.address));
}

const Mapping* InteriorPointers::mapping_of(uint64_t address) const {
    const auto& mappings = memory_.mappings();
    const auto found = std::upper_bound(
        mappings.begin(), mappings.end(), address,
        [](uint64_t value, const Mapping& mapping) { return value < mapping.end; });
    return found != mappings.end() && address >= found->begin ? &*found : nullptr;
}

// A table lies in a file, in memory that the program cannot write to any more, and has a function
// among its first entries: abstract classes leave some of them out.
bool InteriorPointers::is_table_of_functions(uint64_t address) {
    constexpr int entries_looked_at = 4;
    if (address % word_bytes != 0) return false;
    const Mapping* table = mapping_of(address);
    if (table == nullptr || !table->path.starts_with('/') || table->is_shared) return false;
    if (table->execute || !table->read) return false;
    for (int i = 0; i < entries_looked_at; ++i) {
        const uint64_t entry = memory_.word(address + static_cast<uint64_t>(i) * word_bytes);
        if (entry == 0) continue;
        const Mapping* code = mapping_of(entry);
        return code != nullptr && code->execute && code->path.starts_with('/');
    }
    return false;
}

}  // namespace memtrace::analyzer
