// SPDX-License-Identifier: Apache-2.0
//
// Whether this process has PyTorch, and where PyTorch keeps the node that autograd runs.
//
//   none ──a library with the engine is met──► validating ──three nodes looked at with care──► on
//                          └───────────────────────┴────────── anything unexpected ──────────► off
//
// The engine keeps the node in a thread-local variable. get_current_node() is exported, but must
// not be called: it counts a reference, which may call Python. It begins with a call through a
// pointer, to a function that returns the variable's address. That function may be called if the
// thread has used the variable before; the first use on a thread registers a destructor, which
// takes the loader's lock. So it is called only while the thread's stack goes through the
// engine's function that runs a node (autograd_node.h), because by then the engine has used the
// variable.
#pragma once

#include <link.h>

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class Lane;

enum class AutogradState : uint8_t { none, validating, on, off };

// The one library with an engine. Does not change while the state is `validating` or `on`.
struct Autograd {
    uint64_t begin = 0;  // of the library's mappings
    uint64_t end = 0;
    uint64_t engine_begin = 0;  // of Engine::evaluate_function()
    uint64_t engine_end = 0;
    // The word with the address of the function that returns the variable's address. Zero until
    // the library has been initialised.
    uint64_t accessor_at = 0;
};

extern Autograd autograd;
extern std::atomic<AutogradState> autograd_state_word;

inline AutogradState autograd_state() {
    return autograd_state_word.load(std::memory_order_acquire);
}

// The symbols of a library that matter here; 0 if the library does not export them.
struct AutogradSymbols {
    uint64_t engine = 0;
    uint64_t engine_bytes = 0;
    uint64_t get_current_node = 0;
    // The data that is sealed after the start. It contains pointers to functions, and no
    // variables.
    uint64_t sealed_begin = 0;
    uint64_t sealed_end = 0;
};

// Called when a library is met for the first time in this dump, as `module`, mapped at [begin,
// end). Writes where the engine is if the library has one.
void look_for_autograd(Lane& lane, uint32_t module, const dl_phdr_info& library, uint64_t begin,
                       uint64_t end);

// The same for a library with known symbols.
void adopt_autograd(Lane& lane, uint32_t module, const AutogradSymbols& symbols, uint64_t begin,
                    uint64_t end);

// Returns the address of the word that the first call in the code of get_current_node() goes
// through; 0 if the code has another shape.
uint64_t find_accessor(const uint8_t* code);

// Returns the address of this thread's variable, which the engine must have used; 0 if it is not
// available.
uint64_t find_current_node(Lane& lane);

// Returns the first word of a node; 0 if `node` is none. The first few nodes are checked with
// care.
uint64_t type_of_node(Lane& lane, uint64_t node);

// Called when [begin, end) is no longer loaded.
void forget_autograd(uint64_t begin, uint64_t end);

}  // namespace memtrace::preload
