// SPDX-License-Identifier: Apache-2.0
//
// Reports what the shim cannot see: programs and libraries with their own allocator, and those that
// call libc's functions past the shim. The dump names each of them, so that a report never claims
// to cover a heap that it did not see.
#pragma once

namespace memtrace::preload {

// Writes a Note for each loaded object with memory that the hooks do not fully see, unless it was
// noted before. Takes the loader's lock, so it must only be called where the loader may be called.
void note_coverage();

// The same for one library, from dlopen(), that is about to be unloaded.
void note_coverage_of(const void* library);

// Writes what the two found while the process slept.
void note_coverage_of_sleep();

}  // namespace memtrace::preload
