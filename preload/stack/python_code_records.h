// SPDX-License-Identifier: Apache-2.0
//
// Records about Python beside its stacks: code objects, and whether its frames are read.
#pragma once

#include "preload/python/python_codes.h"

namespace memtrace::preload {

class Lane;

// Writes a code object that is met for the first time. `lane` points at a Lane.
void define_python_code(void* lane, const PythonCodeText& text);

// Writes whether Python frames are read, if that has changed.
void note_python_status(Lane& lane);

// Forgets what was written. For a forked child, which has a new dump.
void forget_python_records();

}  // namespace memtrace::preload
