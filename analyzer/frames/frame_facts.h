// SPDX-License-Identifier: Apache-2.0
//
// What reports ask about each frame and each node again and again. It depends on names alone, so it
// is found once for a recording and kept with its Symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

struct FrameFacts {
    enum Bit : uint8_t {
        interesting = 1,     // is_interesting()
        interpreter = 2,     // is_interpreter_frame()
        python = 4,          // a Python function
        backward = 8,        // a backward frame
        gap = 16,            // Python frames are missing here
        before_python = 32,  // between the kernel and the first function of the thread's own code
        shim = 64,           // of memtrace itself
    };

    enum NodeBit : uint8_t {
        python_node = 1,     // shows_python()
        outside_node = 2,    // is_outside()
        dull_location = 4,   // no frame of the location is interesting
        dull_if_folded = 8,  // or only interpreter frames are
        backward_node = 16   // runs_backward()
    };

    std::vector<uint8_t> bits;        // by frame
    std::vector<FrameId> lines;       // by frame: the first frame that differs only in its columns
    std::vector<uint32_t> functions;  // by frame: equal for frames of one function
    std::vector<uint8_t> locations;   // by location: NodeBit
    std::vector<uint8_t> nodes;       // by node: NodeBit

    bool has(FrameId frame, Bit bit) const { return (bits[frame] & bit) != 0; }
    // True if the node or a caller is a Python function.
    bool shows_python(uint32_t node) const { return (nodes[node] & python_node) != 0; }
    // True if the node or a caller is a backward node.
    bool runs_backward(uint32_t node) const { return (nodes[node] & backward_node) != 0; }
    // True if the node and all its callers only start the thread.
    bool is_outside(uint32_t node) const { return (nodes[node] & outside_node) != 0; }
};

// Returns the facts about `symbols`, which must be complete.
std::shared_ptr<const FrameFacts> facts_of(const Symbols& symbols);

}  // namespace memtrace::analyzer
