// SPDX-License-Identifier: Apache-2.0
//
// Python's small objects do not come from malloc. The interpreter has a table of allocator
// functions for each of its domains, and a call of its own to wrap them; ours are put in front of
// those for objects and for its other small memory. (The third domain is malloc already.)
//
//   PyObject_Malloc ─► table ─► ours ─► pymalloc ─► a place in an arena: an object, recorded here
//                                           └─────► malloc: recorded there, and not here
//
// Why that is safe, at the moments at which it happens:
//
//   * At our start the process has one thread and no interpreter yet. The tables are plain data.
//   * The interpreter may put other functions into them when it starts (PYTHONMALLOC), and so may
//     a library. Whether ours are still reached is looked at when a code object is freed: then this
//     thread holds the GIL and is inside of no allocator. If not, ours are put in front again, as a
//     new *layer* with functions of its own, which keep what they were put in front of for good.
//   * An interpreter that comes later, in a library that is loaded by dlopen, is found while it
//     allocates. Ours are put there at the same moment as in the case before.
//   * Ours have the context of what is underneath, so a thread without our GIL that reads a table
//     while it is written finds old and new functions that do the same.
//   * They never go away: somebody may have kept them. They add nothing to an object, so it does
//     not matter which objects came before them.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Will record as the option python_allocs says, once there is an interpreter. To be called before
// start_python().
void start_python_objects();

// For a forked child, whose dump says nothing yet.
void forget_python_object_records();

}  // namespace memtrace::preload
