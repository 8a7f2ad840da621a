// SPDX-License-Identifier: Apache-2.0
//
// What the program itself accepts as lost: __lsan_default_suppressions of LeakSanitizer's
// interface.
#pragma once

namespace memtrace::preload {

// Asks the program, once, and records the answer. Called where the program itself has called, so
// that its function may do what it likes.
void note_program_suppressions();

}  // namespace memtrace::preload
