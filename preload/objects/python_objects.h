// SPDX-License-Identifier: Apache-2.0
//
// Records Python's small objects, which do not come from malloc. The interpreter has a table of
// allocator functions for each of its domains, and a function to wrap them. The shim's functions
// are put in front of those for objects and for the interpreter's other small memory. (The third
// domain is malloc already.)
//
//   PyObject_Malloc ─► table ─► shim ─► pymalloc ─► a place in an arena: an object, recorded here
//                                           └─────► malloc: recorded there, and not here
//
// Why this is safe at the moments at which it happens:
//
//   * When the shim starts, the process has one thread and no interpreter yet. The tables are plain
//     data.
//   * The interpreter may put other functions into the tables when it starts (PYTHONMALLOC), and so
//     may a library. The shim checks that its functions are still reached when a code object is
//     freed. The thread then holds the GIL and is inside no allocator. If they are not reached, the
//     shim's functions are put in front again, as a new *layer* of separate functions. Each layer
//     keeps the functions behind it permanently.
//   * An interpreter that comes later, in a library loaded by dlopen, is found while it allocates.
//     The functions are installed at the same moment as in the case before.
//   * The shim's functions have the context of the functions behind them. So a thread without this
//     GIL that reads a table during the change finds old and new functions with the same effect.
//   * The shim's functions are never removed, because some code may have kept pointers to them.
//     They add nothing to an object, so it does not matter which objects existed before them.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Will record as the option python_allocs requests, once there is an interpreter. Must be called
// before start_python().
void start_python_objects();

// Called when a process has woken up: objects from before are not known.
void note_python_objects_are_late();

// Resets the state for a forked child, whose dump reports nothing yet.
void forget_python_object_records();

}  // namespace memtrace::preload
