// SPDX-License-Identifier: Apache-2.0
#include "tests/unwind/truth/truth_signals.h"

#include <signal.h>

#include "tests/unwind/truth/truth.h"

namespace truth {

constinit thread_local HandlerWork in_handler = nullptr;
constinit thread_local void* in_handler_argument = nullptr;

namespace {

TRUTH_SHAPE void on_signal(int) {
    Calls& calls = *current->calls;
    const unsigned depth = calls.depth;
    calls.push(interrupted);
    {
        const Call call(__builtin_return_address(0));
        in_handler(in_handler_argument);
    }
    calls.depth = depth;
}

}  // namespace

void install_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    bool installed = sigaction(SIGTRAP, &action, nullptr) == 0;
    action.sa_flags = SA_NODEFER;
    installed = sigaction(SIGUSR1, &action, nullptr) == 0 && installed;
    expect(installed, "there are no signal handlers");
}

void use_signal_stack(void* stack, unsigned long bytes) {
    stack_t signal_stack{};
    signal_stack.ss_sp = stack;
    signal_stack.ss_size = bytes;
    expect(sigaltstack(&signal_stack, nullptr) == 0, "there is no signal stack");
}

}  // namespace truth
