// SPDX-License-Identifier: Apache-2.0
//
// The heap blocks that are alive at this point of the replay, by address. This is the only
// structure that grows with the traced program's memory, and every event touches it: two entries
// are in a cache line, and a block takes at most 64 bytes.
#pragma once

#include <cstdint>

#include "analyzer/spaces/large_table.h"

namespace memtrace::analyzer {

struct LiveBlock {
    uint64_t size = 0;
    uint64_t number = 0;  // number of its acquisition (space_observer.h), 1 or more
    uint32_t site = 0;
    uint32_t resizer = not_resizing;  // the lane that is resizing the block
    static constexpr uint32_t not_resizing = 0xffffffff;

    bool is_free() const { return number == 0; }
};
static_assert(sizeof(LiveBlock) == 24);

using LiveBlocks = LargeTable<LiveBlock>;

}  // namespace memtrace::analyzer
