// SPDX-License-Identifier: Apache-2.0
//
// The heap blocks that are alive at this point of the replay, by address: the one structure whose
// size is the program's and not ours, touched by every event.
#pragma once

#include <cstdint>

#include <tsl/robin_map.h>

namespace memtrace::analyzer {

struct LiveBlock {
    uint64_t size = 0;
    uint32_t site = 0;
    uint32_t thread = 0;    // that acquired it
    uint32_t sequence = 0;  // how many that thread had acquired by then
    uint32_t resizer = not_resizing;  // the lane that is resizing it right now
    static constexpr uint32_t not_resizing = 0xffffffff;
};

// Addresses are multiples of 16 and come in rows: the low bits alone would collide.
struct AddressHash {
    size_t operator()(uint64_t address) const {
        const uint64_t mixed = address * 0x9e3779b97f4a7c15u;
        return mixed ^ mixed >> 32;
    }
};

using LiveBlocks = tsl::robin_map<uint64_t, LiveBlock, AddressHash>;

}  // namespace memtrace::analyzer
