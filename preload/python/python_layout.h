// SPDX-License-Identifier: Apache-2.0
//
// Offsets in the structures of CPython. They are frozen within a minor version; PyTorch itself is
// compiled against them. 3.8 to 3.12 are tables here. From 3.13 on, the interpreter reports its
// offsets itself (_Py_DebugOffsets, at the beginning of _PyRuntime), and only the numbers of the
// words there are tables here.
#pragma once

#include <cstdint>
#include <string_view>

#include "memtrace/dump/names.h"

namespace memtrace::preload {

// How the frames of a thread are linked, and what is on the C stack for each evaluation loop.
enum class PythonChain : uint8_t {
    frame_objects,  // 3.8, 3.9: nothing; each frame has a separate loop
    frame_cframes,  // 3.10: the same, and each loop has a CFrame
    cframes,        // 3.11: a loop has a _PyCFrame and runs all frames up to one with is_entry
    shims,          // 3.12 on: a loop has a shim frame in the chain, with an odd owner
};

// How a frame stores its position.
enum class PythonInstruction : uint8_t {
    byte_offset,  // int f_lasti, in bytes; -1: not begun
    unit_offset,  // int f_lasti, in instructions
    pointer,      // the current instruction
};

struct PythonLayout {
    static constexpr uint32_t none = ~0u;
    // The lowest owner value of a frame that does not belong to the program.
    static constexpr uint8_t shim_owner_min = 3;
    static constexpr uint32_t type_name = 24;
    static constexpr uint32_t type_dealloc = 48;

    uint8_t minor = 0;
    PythonChain chain = PythonChain::shims;
    PythonInstruction instruction = PythonInstruction::pointer;
    PythonLinesFormat lines = PythonLinesFormat::locations;

    uint32_t thread_frame = none;   // PyThreadState: the innermost frame
    uint32_t thread_cframe = none;  // or the structure that points to it
    uint32_t thread_id = none;
    uint32_t cframe_frame = none;
    uint32_t cframe_previous = none;

    uint32_t frame_back = none;
    uint32_t frame_code = none;
    uint32_t frame_instruction = none;
    uint32_t frame_is_entry = none;
    uint32_t frame_owner = none;
    uint64_t frame_code_mask = ~uint64_t{0};  // 3.14 on: the lowest bits are tags

    uint32_t code_first_line = none;
    uint32_t code_file = none;
    uint32_t code_name = none;  // the qualified name if there is one
    uint32_t code_lines = none;
    // The base of instruction positions: a bytes object, or from 3.11 on the first instruction.
    uint32_t code_instructions = none;

    uint32_t object_type = 8;
    uint32_t string_length = 16;
    uint32_t string_state = 32;
    uint32_t string_ascii = none;   // the characters of ASCII strings ...
    uint32_t string_others = none;  // ... and of other strings
    uint32_t bytes_length = 16;
    uint32_t bytes_data = 32;

    uint32_t runtime_finalizing = none;
    // Up to 3.11, a thread finds only its first thread state, whatever interpreter it runs now.
    uint32_t runtime_interpreters = none;  // the newest interpreter, then the main one
    uint32_t runtime_current = none;       // the thread state that holds the GIL
};

// The result of Py_GetVersion().
struct PythonVersion {
    uint32_t major = 0;
    uint32_t minor = 0;
    bool is_release = false;
};

PythonVersion parse_python_version(std::string_view text);

// Both return nullptr if `layout` is now right, or else the reason why there is none.
const char* find_python_layout(const PythonVersion& version, const uint64_t* runtime,
                               PythonLayout& layout);
// `words` is the beginning of _PyRuntime.
const char* read_debug_offsets(uint32_t minor, const uint64_t* words, PythonLayout& layout);

inline constexpr uint32_t debug_offset_words = 111;  // of the longest structure, in 3.15

}  // namespace memtrace::preload
