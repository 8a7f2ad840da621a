// SPDX-License-Identifier: Apache-2.0
//
// What we cannot see: programs and libraries that bring an allocator of their own, and those that
// call libc's past us. Each is named in the dump, so that a report never pretends to know a heap
// that it was not shown.
#pragma once

namespace memtrace::preload {

// Writes a Note for each loaded object of which our hooks do not see all memory, unless it was
// noted before. Asks the loader, which takes its lock: only where the loader may be asked.
void note_coverage();

}  // namespace memtrace::preload
