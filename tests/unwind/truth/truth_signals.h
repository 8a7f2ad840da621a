// SPDX-License-Identifier: Apache-2.0
//
// Signal handlers that know their truth.
#pragma once

namespace truth {

// What a handler of this thread does. While it runs, the interrupted function's frames are behind
// the mark `interrupted`.
using HandlerWork = void (*)(void* argument);
extern constinit thread_local HandlerWork in_handler;
extern constinit thread_local void* in_handler_argument;

// Installs handlers of the process: SIGTRAP on the thread's signal stack, SIGUSR1 on the same
// stack.
void install_handlers();

// Sets the signal stack of this thread.
void use_signal_stack(void* stack, unsigned long bytes);

// The signal comes at the instruction after this one: one frame without a truth of its own.
__attribute__((always_inline)) inline void trap() { asm volatile("int3" ::: "memory"); }

}  // namespace truth
