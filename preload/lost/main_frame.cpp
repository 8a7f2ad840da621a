// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/main_frame.h"

#include <sys/auxv.h>
#include <unistd.h>

#include "preload/base/sys.h"
#include "preload/loader/loaded_object.h"

// Of the loader: the stack pointer at the start of the process.
extern "C" void* __libc_stack_end __attribute__((weak));

namespace memtrace::preload {
namespace {

// exit() and what it calls take a few frames. More than that is the program's.
constexpr uint64_t frames_of_exit_bytes = 4096;
constexpr uint64_t word_bytes = sizeof(uint64_t);

uint64_t object_of(uint64_t address) {
    dl_find_object found{};
    if (!find_loaded_object(reinterpret_cast<const void*>(address), found)) return 0;
    return reinterpret_cast<uint64_t>(found.dlfo_map_start);
}

// True if a call may return to this address.
bool follows_call(uint64_t address) {
    constexpr size_t longest = 7;
    uint8_t code[longest] = {};
    if (sys::copy_memory(code, reinterpret_cast<const void*>(address - longest), longest) != 0) {
        return true;
    }
    if (code[2] == 0xe8) return true;  // call to a distance of four bytes
    // Calls through a register or memory: two to seven bytes, 0xff and then a byte with 2 in its
    // middle bits.
    for (size_t length = 2; length <= longest; ++length) {
        const size_t at = longest - length;
        if (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2) return true;
    }
    return false;
}

}  // namespace

uint64_t start_of_process_stack() {
    return &__libc_stack_end == nullptr ? 0 : reinterpret_cast<uint64_t>(__libc_stack_end);
}

bool is_in_start(uint64_t address) {
    constexpr uint64_t start_bytes_max = 64;
    const uint64_t entry = getauxval(AT_ENTRY);
    return address >= entry && address - entry < start_bytes_max;
}

bool has_main_returned(uint64_t stack) {
    const uint64_t start = start_of_process_stack();
    if (start < stack || start - stack > frames_of_exit_bytes) return false;
    const uint64_t libc = object_of(reinterpret_cast<uint64_t>(&getpid));
    const uint64_t loader = object_of(reinterpret_cast<uint64_t>(&__libc_stack_end));
    const uint64_t shim = object_of(reinterpret_cast<uint64_t>(&has_main_returned));
    const uint64_t program = object_of(getauxval(AT_ENTRY));
    for (uint64_t at = stack & ~(word_bytes - 1); at < start; at += word_bytes) {
        const uint64_t word = *reinterpret_cast<const uint64_t*>(at);
        const uint64_t object = object_of(word);
        if (object == 0 || object == libc || object == loader) continue;
        if (object == shim && shim != program) continue;
        if (follows_call(word) && !is_in_start(word)) return false;
    }
    return true;
}

}  // namespace memtrace::preload
