// SPDX-License-Identifier: Apache-2.0
//
// Numbers for code objects. When a code object is first met, its texts are handed out, so that they
// are recorded before its number can be found. Lines are looked up when the dump is read.
//
//   * Lock-free and without waiting. Two threads that meet a code object at the same moment may
//     give it two numbers, which is harmless.
//   * The table grows by adding a table four times as large. Older tables stay.
//   * Addresses come again: module bodies and exec'd code are freed at once. A code object that is
//     about to be freed is forgotten (python_invalidation.h). In addition, each entry holds the
//     name, the file and the line table of its code object, and does not match another code object.
#pragma once

#include <cstdint>

#include "memtrace/dump/python_records.h"
#include "preload/python/python_layout.h"

namespace memtrace::preload {

// The characters of a str as stored: `width` bytes each, 1, 2 or 4.
struct PythonText {
    static constexpr uint32_t bytes_max = 4096;  // longer texts are cut
    const uint8_t* bytes = nullptr;
    uint32_t length = 0;  // in bytes
    uint8_t width = 1;
};

struct PythonCodeText {
    static constexpr uint32_t lines_bytes_max = 1u << 20;
    uint32_t id = 0;
    PythonLinesFormat lines_format = PythonLinesFormat::locations;
    uint32_t first_line = 0;
    PythonText name;
    PythonText file;
    const uint8_t* lines = nullptr;
    uint32_t lines_length = 0;
};

// Calls part(offset, bytes, length) for the line table in pieces that fit into a record.
template <class Part>
void for_each_part_of_lines(const PythonCodeText& text, uint32_t part_bytes, Part&& part) {
    for (uint32_t at = 0; at < text.lines_length; at += part_bytes) {
        const uint32_t rest = text.lines_length - at;
        part(at, text.lines + at, rest < part_bytes ? rest : part_bytes);
    }
}

// Called for each code object that gets a number.
using DefinePythonCode = void (*)(void* context, const PythonCodeText& text);

inline constexpr uint32_t no_python_code = 0;
inline constexpr uint32_t python_code_id_max = (1u << 28) - 1;

// Returns the number of a code object that a frame of this thread runs. Returns no_python_code if
// `code` is no code object, if it is being freed, or if there is no memory.
uint32_t python_code_id(uint64_t code, DefinePythonCode define, void* context);

// The position of a frame in its code: 1 + the index of the instruction, or 0 if it has not begun.
uint32_t python_position(const PythonLayout& layout, uint64_t code, uint64_t instruction);

// Called before and after this thread frees the code object. In between it has no number, because
// early versions of 3.11 free it while its frame can still be found.
void begin_freeing_python_code(uint64_t code);
void end_freeing_python_code(uint64_t code);

// Resets everything for a forked child, whose dump has no code objects yet.
void forget_all_python_codes();

uint64_t python_codes_bytes();

}  // namespace memtrace::preload
