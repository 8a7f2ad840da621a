// SPDX-License-Identifier: Apache-2.0
//
// What the shim and the reporter tell each other when they search for lost blocks. The shim makes a
// copy of the process that stands still, and a memory file (memfd) with the question. The reporter
// reads the live blocks from the dump and the memory of the copy, and writes the answer into the
// same file:
//
//   0              LostRequest
//   answer_offset  LostAnswer, as many as LostRequest::answers says
//
// Neither outlives the search. Both programs come from one build, so there are no versions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memtrace/dump/lost_records.h"

namespace memtrace {

struct LostRange {
    uint64_t begin = 0;
    uint64_t end = 0;
};

// A thread that has recorded something.
struct LostThread {
    uint64_t stack = 0;    // an address in its stack
    uint64_t is_gone = 0;  // 1: it has ended, and nobody's stack is there any more
};

// A thread of the program, as it was when the reporter looked.
struct LostThreadLook {
    uint64_t thread = 0;     // its number
    uint64_t is_asleep = 0;  // 1: it waited in the kernel
    uint64_t switches = 0;   // how often it had been switched out until then
};

// The copy starts a reporter, or is stopped before it could.
enum class LostCopyState : uint64_t { none = 0, has_reporter = 1, stopped = 2 };

enum class LostAnswerState : uint64_t { none = 0, done = 1, failed = 2 };

struct LostAnswer {
    uint64_t address = 0;
    LostKind kind = LostKind::definitely;
};

// Kinds of roots, as bits.
enum LostRoot : uint64_t {
    lost_root_stacks = 1,
    lost_root_registers = 2,
    lost_root_data = 4,      // of modules
    lost_root_tls = 8,       // thread-local storage of the thread that makes the copy
    lost_root_mappings = 16  // that the program made
};

struct LostRequest {
    static constexpr uint64_t sound = 0x4c4f'5354'0000'0001;
    static constexpr uint32_t threads_max = 4096, own_max = 4096, roots_max = 8192;
    static constexpr uint32_t ignored_max = 1 << 16;

    // The question.
    uint64_t magic = 0;
    uint64_t at = 0;             // the moment of the copy, in ticks of the dump
    uint64_t stack_pointer = 0;  // of the thread that made the copy; below it lie the shim's frames
    // Where the lowest frame begins that this thread's stack has in use; 0: not known. Between that
    // and the stack pointer there is something if a signal interrupted it.
    uint64_t used_from = 0;
    uint64_t registers[6] = {};   // that the program's frames may have words in
    uint64_t signal_stack = 0;    // that the kernel has for its signal handlers; 0: none
    uint64_t thread_pointer = 0;  // of the same
    uint64_t thread = 0;          // its number
    uint64_t other_threads = 0;   // that are alive, and whose registers nobody sees
    uint64_t without = 0;         // kinds of roots that are not looked through
    uint64_t goes_on = 0;         // 1: the program does not wait for the answer
    uint64_t is_second = 0;       // 1: the answer of the first copy is there; what it lacks is held
    uint32_t thread_count = 0;
    uint32_t own_count = 0;
    uint32_t root_count = 0;
    uint32_t ignored_count = 0;
    LostThread threads[threads_max];
    LostRange own[own_max];         // memory of the shim
    LostRange roots[roots_max];     // that the program has registered
    uint64_t ignored[ignored_max];  // blocks that the program wants left out

    // What the reporter sees after the first copy, for itself.
    uint64_t look_count = 0;
    LostThreadLook looks[threads_max];

    // What the shim and its copy tell each other.
    LostCopyState copy_state = LostCopyState::none;
    uint64_t reporter = 0;  // its process number

    // The answer.
    LostAnswerState state = LostAnswerState::none;
    uint64_t answers = 0;
    uint64_t blocks = 0;  // that were searched
    uint64_t bytes = 0;
    uint64_t work_us = 0;
    uint64_t not_copied = 0;  // bytes that fork left out, and that may not be read, either
    char text[768] = {};      // sentences: why it failed, or what is not sure
};

inline constexpr size_t answer_offset = (sizeof(LostRequest) + 4095) / 4096 * 4096;

}  // namespace memtrace
