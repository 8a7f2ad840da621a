// SPDX-License-Identifier: Apache-2.0
//
// Replays the dump of a running program up to a moment.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "analyzer/ledger/held_memory.h"

namespace memtrace::analyzer {

struct HeldAt {
    HeldMemory memory;
    // Addresses of blocks whose threads said that they should be left out (LostScope).
    std::unordered_set<uint64_t> left_out;
    uint64_t pid = 0;        // of the program
    bool is_sample = false;  // There are blocks that the dump does not have.
    bool has_pause = false;  // Blocks may have been freed without a record.
    // The process may have blocks from before the recording: it was forked, or recorded later.
    bool has_older_blocks = false;
    bool is_damaged = false;
};

// `moment` is in ticks of the dump. Throws Error if the dump cannot be read.
HeldAt held_at(const std::string& dump, uint64_t moment);

}  // namespace memtrace::analyzer
