// SPDX-License-Identifier: Apache-2.0
//
// What the dump has to say about Python beside the stacks: code objects, and how reading goes.
#pragma once

#include "preload/python/python_codes.h"

namespace memtrace::preload {

class Lane;

// Writes down a code object that nobody has met before. `lane`: a Lane.
void define_python_code(void* lane, const PythonCodeText& text);

// Writes down whether Python frames are read, if that has changed.
void note_python_status(Lane& lane);

// For a forked child, whose dump says nothing yet.
void forget_python_records();

}  // namespace memtrace::preload
