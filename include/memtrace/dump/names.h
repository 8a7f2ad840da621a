// SPDX-License-Identifier: Apache-2.0
//
// Ids and names used in records. Their numbers are stored in existing dumps: append, never
// renumber, never reuse.
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace {

enum class Api : uint8_t {
    none = 0,
#define MEMTRACE_API(id, name, effect, space, provider) name = id,
#include "memtrace/dump/apis.def"
#define MEMTRACE_GPU_API(id, name, record, memory) name = id,
#include "memtrace/dump/gpu_apis.def"
#define MEMTRACE_CUDART_API(id, name, record, memory) name = id,
#include "memtrace/dump/cudart_apis.def"
};

// True for calls of Python's object allocator. Their records are those of heap blocks.
constexpr bool is_object_api(Api api) {
    return api >= Api::PyObject_Malloc && api <= Api::PyMem_Free;
}

// A stack is the id of its innermost node; a node's parent is the caller. 0 = no stack.
inline constexpr uint32_t no_stack = 0;
inline constexpr uint32_t no_module = 0;

enum class NodeKind : uint8_t {
    native = 0,     // `address` is a return address: the call is just before it
    entry = 1,      // `address` is exact: interrupted by a signal, or a thread's start; no call
    truncated = 2,  // root of stacks that were cut; `address` is a Cut
    python = 3,     // a Python function; `address` is python_address() of python_records.h
    guessed = 4,    // as native, but its code has no unwind data: its caller was found through rbp
};

// Why a stack does not reach the thread's first function; `address` of a truncated node.
enum class Cut : uint8_t {
    depth = 1,     // longer than the depth limit
    early = 2,     // old dumps only: recorded before the unwinder was ready
    nested = 3,    // recorded inside another event of the same thread (signal handler)
    disabled = 4,  // stacks were switched off, or could not be walked for lack of memory
    failed = 5,    // the unwind data of the outermost frame makes no sense there
    no_data = 6,   // the code of the outermost frame has no unwind data
};

enum class MapClass : uint8_t {
    anonymous = 0,  // private memory
    file = 1,       // private pages of a file
    shared = 2,     // MAP_SHARED, of a file or not
    reserved = 3,   // PROT_NONE: address space without memory
};

// Why the shim looked at the memory of the process at this moment.
enum class HostOccasion : uint8_t {
    growth = 0,    // the resident set was larger than ever before
    work_end = 1,  // the program has done its work
    time = 2,      // the last look was long ago
};

// What a mapping allows, as in /proc/self/maps.
enum HostAccess : uint8_t {
    access_read = 1,
    access_write = 2,
    access_execute = 4,
    access_shared = 8,
    access_guarded = 16,  // a mapping that allows nothing lies directly below
};

// What memory is used for, if only the shim knows it.
enum class HostUse : uint8_t {
    memtrace = 0,      // memory of the shim's own
    thread_stack = 1,  // an address in the stack of a thread
};

// What a mapping is for, if that is known.
enum class MapPurpose : uint8_t {
    unknown = 0,
    python_arena = 1,  // of Python's object allocator: contains small objects
    gpu_driver = 2,    // made by the GPU's driver during a call: contains pinned memory
};

// Whose work has ended.
enum class WorkEndKind : uint8_t {
    program = 0,
    python = 1,  // the interpreter's: a program that embeds it may continue
};

enum class SwitchState : uint8_t { off = 0, on = 1 };

enum class EndKind : uint8_t {
    exit = 1,       // exit() or return from main; `code` is the status
    immediate = 2,  // _exit(), _Exit() or quick_exit(); `code` is the status
    exec = 3,       // replaced by another program
};

// The format in which a Python code object stores the lines of its instructions.
enum class PythonLinesFormat : uint8_t {
    lnotab = 0,     // co_lnotab of 3.8 and 3.9
    ranges = 1,     // co_linetable of 3.10
    locations = 2,  // co_linetable of 3.11 and later, with columns
};

enum class PythonState : uint8_t {
    none = 0,  // there is no Python in this process
    on = 1,
    off = 2,  // there is, but its frames are not recorded
};

// Why Python frames are missing in a stack: `position` of a python node without a code object.
enum class PythonGap : uint8_t {
    unnamed = 0,      // this one frame: its code object is just being freed, or has no number
    depth = 1,        // the outermost frames: there are more than the shim reads
    finalizing = 2,   // all: the interpreter ends, and the thread's frames may be gone
    off = 3,          // all: Python is switched off (PythonStatus), or there is no memory
    interpreter = 4,  // perhaps the innermost: the thread may run another interpreter's code
};

// How completely Python's small objects are recorded.
enum class PythonObjectsState : uint8_t {
    off = 0,
    whole = 1,  // from the first object on
    late = 2,   // from here on: some existing blocks are not known
};

enum class MarkKind : uint8_t { mark = 0, begin = 1, end = 2 };

// The source of a mark.
enum class MarkSource : uint8_t {
    program = 0,  // by memtrace.h
    nvtx = 1,     // by NVIDIA's header for annotations
};

// Which ranges an end may close.
enum class MarkScope : uint8_t {
    process = 0,  // the last range with that name or number, of any thread
    thread = 1,   // the innermost range of this thread: ranges of a thread are nested
};

// The source of records about calls of the GPU's driver.
enum class GpuBackend : uint8_t {
    none = 0,
    driver = 1,   // hooks of the driver's own functions
    cupti = 2,    // the driver's callbacks for profilers
    runtime = 3,  // hooks of the functions that the runtime library exports
};

// Where memory from the GPU's driver lives.
enum class GpuMemory : uint8_t {
    unknown = 0,
    device = 1,
    managed = 2,         // wherever it was last used: the device or the host
    pinned = 3,          // on the host, where it stays in its place
    registered = 4,      // existing host memory, pinned: no new bytes
    array = 5,           // on the device; its size is computed from its shape
    pooled = 6,          // from a pool on the device: the pool's bytes are the device's
    graph = 7,           // of a graph's node: it gets memory when the graph runs
    imported = 8,        // of another process or another interface, which owns the bytes
    physical = 9,        // on the device, without addresses until it is mapped
    physical_host = 10,  // the same, on the host
    reserved = 11,       // addresses without memory
};

enum class GpuContextChange : uint8_t {
    created = 1,
    retained = 2,  // it existed already
    released = 3,  // it still exists
    destroyed = 4,
};

enum class GpuPoolKind : uint8_t {
    pool = 0,
    graph = 1,     // what the graphs of a device hold
    gone = 2,      // the pool was destroyed
    imported = 3,  // of another process, which owns its bytes
};

// Whose memory was measured.
enum class GpuUsageScope : uint8_t {
    process = 1,  // of this process
    device = 2,   // of all that use the device
};

// Bytes that belong to the writer while writing and to the reader while reading. Valid until the
// next record is read, unless copied.
using Text = std::string_view;

}  // namespace memtrace
