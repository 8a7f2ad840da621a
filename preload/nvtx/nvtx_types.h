// SPDX-License-Identifier: Apache-2.0
//
// The part of NVTX, NVIDIA's interface for annotations, that memtrace needs. No header of NVIDIA's
// is needed to build the shim. A test compares these declarations with the header if it is
// installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::preload::nvtx {

// Opaque types. Only the library, or its tool, defines what their pointers refer to.
struct Domain;
struct String;

enum class MessageType : int32_t { unknown = 0, ascii = 1, wide = 2, registered = 3 };

// nvtxEventAttributes_t
struct Attributes {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colour_type;
    uint32_t colour;
    int32_t payload_type;
    int32_t reserved;
    uint64_t payload;
    MessageType message_type;
    union {
        const char* ascii;
        const wchar_t* wide;
        const String* registered;
    } message;
};
static_assert(sizeof(Attributes) == 48);

using RangeId = uint64_t;

// Result of push and pop if no tool counts the levels.
inline constexpr int no_tracking = -2;

// How a tool reaches the functions of one library: a table of pointers for each module.
enum Module : int { core = 1, core2 = 5 };
using FunctionTable = void***;

struct Callbacks {
    size_t size;
    int (*module_table)(int module, FunctionTable* table, unsigned* size);
};
using ExportTable = const void* (*)(uint32_t which);
inline constexpr uint32_t callbacks_table = 1;

}  // namespace memtrace::preload::nvtx
