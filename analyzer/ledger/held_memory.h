// SPDX-License-Identifier: Apache-2.0
//
// What the program holds at one moment of the replay, by address.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/host_model.h"

namespace memtrace::analyzer {

struct HeldBlock {
    uint64_t address = 0;
    uint64_t size = 0;  // requested bytes
    uint32_t stack = no_stack;
};

// Pages [begin, end) of a mapping that the program made.
struct HeldMapping {
    uint64_t begin = 0;
    uint64_t end = 0;
    HostPart part = HostPart::mappings;  // or gpu_driver, or python_arenas
    uint32_t stack = no_stack;
};

struct HeldMemory {
    std::vector<HeldBlock> heap;
    std::vector<HeldBlock> objects;  // of Python
    std::vector<HeldMapping> mappings;
    bool has_all_objects = false;  // `objects` lacks none
};

}  // namespace memtrace::analyzer
