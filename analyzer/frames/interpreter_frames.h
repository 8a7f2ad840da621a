// SPDX-License-Identifier: Apache-2.0
//
// Tells the Python interpreter's own frames from those of the program. Where Python functions are
// named, the C functions of the interpreter repeat the same calls.
#pragma once

#include <string_view>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

// True if the file is the interpreter: libpython3.11.so.1.0, python3, python3.13t.
bool is_interpreter_module(std::string_view path);

// True for a C function of the interpreter, and for a Python frame that the interpreter makes only
// for itself.
bool is_interpreter_frame(const Frame& frame);

}  // namespace memtrace::analyzer
