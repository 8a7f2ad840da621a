// SPDX-License-Identifier: Apache-2.0
//
// Is there a PyTorch in this process, and where does it keep which node autograd runs?
//
//   none ──a library with the engine is met──► validating ──three nodes looked at with care──► on
//                          └───────────────────────┴────────── anything unexpected ──────────► off
//
// The engine keeps the node in a variable of each thread. get_current_node() is exported; it must
// not be called, because it counts a reference, which may call Python. But what it begins with is a
// call through a pointer, to a function that returns the variable's address, and that one may be
// called where the thread has used the variable before: the first use on a thread registers a
// destructor, which takes the loader's lock. So a thread is asked only while its stack goes through
// the engine's function that runs a node (autograd_node.h): by then the engine has used it.
#pragma once

#include <link.h>

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class Lane;

enum class AutogradState : uint8_t { none, validating, on, off };

// Of the one library with an engine. Does not change while the state is `validating` or `on`.
struct Autograd {
    uint64_t begin = 0;  // of the library's mappings
    uint64_t end = 0;
    uint64_t engine_begin = 0;  // of Engine::evaluate_function()
    uint64_t engine_end = 0;
    // The word with the address of the function that returns the variable's. Zero until the
    // library has been initialised.
    uint64_t accessor_at = 0;
};

extern Autograd autograd;
extern std::atomic<AutogradState> autograd_state_word;

inline AutogradState autograd_state() {
    return autograd_state_word.load(std::memory_order_acquire);
}

// What of a library is of interest; 0: it does not export it.
struct AutogradSymbols {
    uint64_t engine = 0;
    uint64_t engine_bytes = 0;
    uint64_t get_current_node = 0;
    // Of the data that is sealed after the start: pointers to functions, and no variable.
    uint64_t sealed_begin = 0;
    uint64_t sealed_end = 0;
};

// A library was met for the first time in this dump, as `module`, which is mapped at [begin, end).
// Writes down where the engine is if it has one.
void look_for_autograd(Lane& lane, uint32_t module, const dl_phdr_info& library, uint64_t begin,
                       uint64_t end);

// The same, for a library of which the symbols are known.
void adopt_autograd(Lane& lane, uint32_t module, const AutogradSymbols& symbols, uint64_t begin,
                    uint64_t end);

// Finds the word that the first call in the code of get_current_node() goes through; 0: the code
// has another shape.
uint64_t find_accessor(const uint8_t* code);

// The address of this thread's variable, which the engine has used. 0: it is not to be had.
uint64_t find_current_node(Lane& lane);

// The first word of a node. Looks at the first few with care; 0: that is no node.
uint64_t type_of_node(Lane& lane, uint64_t node);

// What is at these addresses is no longer loaded.
void forget_autograd(uint64_t begin, uint64_t end);

}  // namespace memtrace::preload
