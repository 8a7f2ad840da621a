// SPDX-License-Identifier: Apache-2.0
//
// Records about Python: the code objects that occur in stacks, their line tables as the interpreter
// keeps them, and the state of recording Python frames. The reader computes the lines.
//
// A node of kind python has no module, and its address is
//
//    63          20 19         0
//   ┌──────────────┬────────────┐
//   │ id of the    │ position   │   position: 0 for a frame that has not begun to run,
//   │ PythonCode   │            │   else 1 + the index of the instruction, in units of two bytes
//   └──────────────┴────────────┘
//
// Without a code object (id 0), the node stands for frames that are not known, and `position` is a
// PythonGap. A stack without such a node contains all Python frames that there were.
#pragma once

#include <cstdint>

#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/names.h"

namespace memtrace {

// ---- addresses of python nodes -----------------------------------------------------------------

inline constexpr unsigned python_position_bits = 20;
// This instruction, or a later one: the line is not known.
inline constexpr uint32_t python_position_max = (uint32_t{1} << python_position_bits) - 1;

constexpr uint64_t python_address(uint32_t code, uint64_t position) {
    const uint64_t kept = position < python_position_max ? position : python_position_max;
    return uint64_t{code} << python_position_bits | kept;
}
constexpr uint64_t python_code_of(uint64_t address) { return address >> python_position_bits; }
constexpr uint32_t python_position_of(uint64_t address) {
    return static_cast<uint32_t>(address & python_position_max);
}
constexpr uint64_t python_gap_address(PythonGap gap) {
    return python_address(0, static_cast<uint64_t>(gap));
}

// ---- records -----------------------------------------------------------------------------------

// A code object: a function, a class body, a module or the like. Strings are stored as CPython
// keeps them: each character takes 1, 2 or 4 bytes (its *kind*), little endian; 1 is Latin-1.
struct PythonCode {
    static constexpr uint8_t tag = 21;
    static constexpr const char* name = "python_code";
    uint64_t time = 0;
    uint32_t id = 0;  // counts up from 1
    PythonLinesFormat lines_format = PythonLinesFormat::lnotab;
    uint64_t first_line = 0;
    Text qualname = {};  // co_qualname from 3.11 on, else co_name
    uint8_t name_kind = 1;
    Text file = {};
    uint8_t file_kind = 1;

    static constexpr void fields(auto&& self, auto&& each) {
        each("id", self.id, coding::delta);
        each("lines_format", self.lines_format, coding::plain);
        each("first_line", self.first_line, coding::plain);
        each("name", self.qualname, coding::text);
        each("name_kind", self.name_kind, coding::plain);
        each("file", self.file, coding::text);
        each("file_kind", self.file_kind, coding::plain);
    }
};

// A piece of a code object's line table, co_lnotab or co_linetable, unchanged. A table that is
// longer than one record comes in several pieces. If a piece is missing, the pieces after it are
// useless.
struct PythonLines {
    static constexpr uint8_t tag = 22;
    static constexpr const char* name = "python_lines";
    uint64_t time = 0;
    uint32_t code = 0;    // PythonCode::id
    uint64_t offset = 0;  // of this piece in the table
    Text bytes = {};
    uint64_t whole = 0;  // bytes of the whole table; 0: not stored

    static constexpr void fields(auto&& self, auto&& each) {
        each("code", self.code, coding::delta);
        each("offset", self.offset, coding::plain);
        each("bytes", self.bytes, coding::text);
        each("whole", self.whole, coding::plain);
    }
};

// The state of recording Python frames from now on. The last record counts.
struct PythonStatus {
    static constexpr uint8_t tag = 23;
    static constexpr const char* name = "python_status";
    uint64_t time = 0;
    PythonState state = PythonState::none;
    uint64_t version = 0;  // as PY_VERSION_HEX: 0x030b07f0 is 3.11.7; 0: not known
    Text why = {};         // if off: the reason

    static constexpr void fields(auto&& self, auto&& each) {
        each("state", self.state, coding::plain);
        each("version", self.version, coding::plain);
        each("why", self.why, coding::text);
    }
};

// Totals of a lane's walks of Python stacks since it was begun. A later record replaces earlier
// ones. Each capture of a process with Python counts in one of the first four fields.
struct PythonWalks {
    static constexpr uint8_t tag = 25;
    static constexpr const char* name = "python_walks";
    uint64_t time = 0;
    uint64_t of_lane = 0;
    uint64_t stacks = 0;   // with frames
    uint64_t empty = 0;    // of threads known to Python that ran none of its code
    uint64_t foreign = 0;  // of threads not known to Python
    uint64_t unread = 0;   // without frames, because they could not be read: see PythonGap
    uint64_t frames = 0;   // of the stacks
    uint64_t kept = 0;     // of these: compared with the last stack, and unchanged

    static constexpr void fields(auto&& self, auto&& each) {
        each("of_lane", self.of_lane, coding::plain);
        each("stacks", self.stacks, coding::delta);
        each("empty", self.empty, coding::delta);
        each("foreign", self.foreign, coding::delta);
        each("unread", self.unread, coding::delta);
        each("frames", self.frames, coding::delta);
        each("kept", self.kept, coding::delta);
    }
};

// The state of recording Python's small objects from now on. Their blocks are Acquire and Release
// records of apis for which is_object_api() is true. A sample chooses every requested byte with the
// same chance of 1 in `interval`, and contains every block with a chosen byte. So a block of `size`
// bytes is in it with a chance of 1 - exp(-size / interval), and has the inverse of that as its
// weight.
struct PythonObjects {
    static constexpr uint8_t tag = 24;
    static constexpr const char* name = "python_objects";
    uint64_t time = 0;
    PythonObjectsState state = PythonObjectsState::off;
    uint64_t interval = 0;  // 0: every block is recorded
    Text why = {};          // if off or late: the reason

    static constexpr void fields(auto&& self, auto&& each) {
        each("state", self.state, coding::plain);
        each("interval", self.interval, coding::plain);
        each("why", self.why, coding::text);
    }
};

// As HeapSample in a thread's lane, for Python's small objects: from here on, the lane's
// acquisitions are a sample with this interval. Those before it are as PythonObjects says.
struct ObjectSample {
    static constexpr uint8_t tag = 51;
    static constexpr const char* name = "object_sample";
    uint64_t time = 0;
    uint64_t interval = 0;  // bytes

    static constexpr void fields(auto&& self, auto&& each) {
        each("interval", self.interval, coding::plain);
    }
};

}  // namespace memtrace
