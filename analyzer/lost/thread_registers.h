// SPDX-License-Identifier: Apache-2.0
//
// How many pointers may be in registers of threads, which nobody sees, and which blocks may
// therefore be in use although they seem to be lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/lost/block_index.h"
#include "analyzer/lost/pointer_search.h"
#include "memtrace/dump/lost_request.h"

namespace memtrace::analyzer {

// Looks at the threads of a process: which of them are asleep, and how often each has been switched
// out so far. At most `most`.
std::vector<LostThreadLook> look_at_threads(uint64_t pid, size_t most);

// Returns how many words threads may have in registers and nowhere else, but the thread of this
// number. A thread that was asleep at both looks, and not switched out in between, was in the
// kernel all the time. `alive`: so many others there were at least.
uint64_t words_in_registers(const std::vector<LostThreadLook>& before,
                            const std::vector<LostThreadLook>& now, uint64_t without,
                            uint64_t alive);

// The same threads: true if each of them was in the kernel all the time.
bool have_all_waited(const std::vector<LostThreadLook>& before,
                     const std::vector<LostThreadLook>& now, uint64_t without, uint64_t alive);

// Which blocks may be in use.
struct Doubt {
    std::vector<uint32_t> blocks;
    uint64_t lost_of_them = 0;  // so many are lost at least
};

// `words`: in registers. Only blocks that no other lost block points to need a word. Where one call
// stack has lost more of them than there are words, or all others together many more, they are
// lost.
Doubt doubtful(const std::vector<PointerSearch::State>& states, uint64_t words,
               const std::function<uint32_t(uint32_t block)>& stack_of);

}  // namespace memtrace::analyzer
