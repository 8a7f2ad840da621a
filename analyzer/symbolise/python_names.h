// SPDX-License-Identifier: Apache-2.0
//
// Makes frames for the addresses of python nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

// Calls each(address, frame) once for every address, sorted, so each line table is read once.
// Returns the number of code objects that are not in the dump.
uint64_t name_python_frames(const StackTree& tree, std::vector<uint64_t> addresses,
                            const std::function<void(uint64_t, Frame)>& each);

}  // namespace memtrace::analyzer
