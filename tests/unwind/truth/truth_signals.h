// SPDX-License-Identifier: Apache-2.0
//
// Signal handlers that know their truth.
#pragma once

namespace truth {

// What a handler of this thread does. On its way the interrupted function's frames are behind the
// mark `interrupted`.
using HandlerWork = void (*)(void* argument);
extern constinit thread_local HandlerWork in_handler;
extern constinit thread_local void* in_handler_argument;

// Handlers of the whole process: SIGTRAP on the thread's signal stack, SIGUSR1 on the same stack.
void install_handlers();

// Where the signal stack of this thread is.
void use_signal_stack(void* stack, unsigned long bytes);

// The instruction behind this one is where the signal comes: one frame without a truth of its own.
__attribute__((always_inline)) inline void trap() { asm volatile("int3" ::: "memory"); }

}  // namespace truth
