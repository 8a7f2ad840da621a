// SPDX-License-Identifier: Apache-2.0
//
// Frames for the addresses of python nodes. What the interpreter is made of is told apart here too,
// because where Python functions are named, its C functions say the same a second time.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

// Calls each(address, frame) once for every address; sorted, each line table is read once. Returns
// how many code objects are not in the dump.
uint64_t name_python_frames(const StackTree& tree, std::vector<uint64_t> addresses,
                            const std::function<void(uint64_t, Frame)>& each);

// libpython3.11.so.1.0, python3, python3.13t: the interpreter's own code.
bool is_interpreter_module(std::string_view path);

// A C function of the interpreter, or a Python frame that it makes only for itself.
bool is_interpreter_frame(const Frame& frame);

}  // namespace memtrace::analyzer
