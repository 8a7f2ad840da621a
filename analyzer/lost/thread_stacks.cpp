// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/thread_stacks.h"

#include <algorithm>
#include <vector>

namespace memtrace::analyzer {
namespace {

// glibc's struct pthread begins with its own address, has it again as its third word, and the
// thread's number behind its head. Its further fields have other places in other versions, but it
// is the last thing on the stack.
constexpr uint64_t word_bytes = sizeof(uint64_t), self_at = 2 * word_bytes, number_at = 720;
constexpr uint64_t bytes_min = 1024, bytes_max = 8192;
constexpr uint32_t joined = UINT32_MAX;  // the number of a thread that another one waited for
constexpr uint64_t stack_bytes_max = uint64_t{1} << 40;  // An address is larger than any size.

bool is_thread(Memory& memory, uint64_t address) {
    return memory.word(address) == address && memory.word(address + self_at) == address;
}

uint32_t number_of(Memory& memory, uint64_t thread_pointer) {
    return static_cast<uint32_t>(memory.word(thread_pointer + number_at));
}

std::vector<uint64_t> words_in(Memory& memory, LostRange range) {
    std::vector<uint64_t> words((range.end - range.begin) / word_bytes);
    memory.read({&range, 1}, reinterpret_cast<uint8_t*>(words.data()));
    return words;
}

}  // namespace

std::optional<LostRange> stack_of_thread(Memory& memory, uint64_t thread_pointer) {
    if (thread_pointer % word_bytes != 0 || !is_thread(memory, thread_pointer)) return {};
    const auto words = words_in(memory, {thread_pointer, thread_pointer + bytes_max});
    // The stack's begin, and then its size.
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        const uint64_t begin = words[i], end = begin + words[i + 1];
        if (words[i + 1] > stack_bytes_max || begin >= thread_pointer) continue;
        if (end < thread_pointer + bytes_min) continue;
        if (end <= thread_pointer + bytes_max) return LostRange{begin, end};
    }
    return {};
}

std::optional<uint64_t> thread_of_stack(Memory& memory, LostRange mapping) {
    const uint64_t begin = std::max(mapping.begin, mapping.end - std::min(mapping.end, bytes_max));
    const auto words = words_in(memory, {begin, mapping.end});
    for (size_t i = words.size(); i-- > 0;) {
        const uint64_t address = begin + i * word_bytes;
        if (words[i] != address || !is_thread(memory, address)) continue;
        const auto stack = stack_of_thread(memory, address);
        // With the guard it begins below the mapping.
        if (stack && stack->end == mapping.end && stack->begin <= mapping.begin) return address;
    }
    return {};
}

bool has_thread_ended(Memory& memory, uint64_t thread_pointer, const LostRequest& known) {
    if (known.thread == 0 || number_of(memory, known.thread_pointer) != known.thread) return false;
    const uint32_t number = number_of(memory, thread_pointer);
    return number == 0 || number == joined;
}

}  // namespace memtrace::analyzer
