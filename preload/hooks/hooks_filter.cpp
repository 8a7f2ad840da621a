// SPDX-License-Identifier: Apache-2.0
//
// Hooks of the two functions of libc by which a program sets a filter of system calls for itself.
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/hooks/hook_support.h"
#include "preload/session/filtered_calls.h"

using namespace memtrace::preload;

namespace {

const sock_fprog* as_filter(unsigned long address) {
    return reinterpret_cast<const sock_fprog*>(address);
}

// A missing filter is a question to the kernel: does it have filters at all?
void before_prctl(unsigned long option, unsigned long mode, unsigned long filter) {
    if (option != PR_SET_SECCOMP) return;
    if (mode == SECCOMP_MODE_STRICT) before_filter(nullptr);
    else if (mode == SECCOMP_MODE_FILTER && filter != 0) before_filter(as_filter(filter));
}

}  // namespace

MEMTRACE_EXPORT int prctl(int option, ...) {
    va_list rest;
    va_start(rest, option);
    unsigned long arguments[4];
    for (unsigned long& argument : arguments) argument = va_arg(rest, unsigned long);
    va_end(rest);
    before_prctl(static_cast<unsigned long>(option), arguments[0], arguments[1]);
    return real_functions().prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

extern "C" {

// Where syscall() goes for every call that sets no filter; nullptr until that is known.
[[gnu::visibility("hidden")]] long (*memtrace_next_syscall)(long, ...);

[[gnu::visibility("hidden"), gnu::used]] long memtrace_watched_syscall(
    long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
    unsigned long e, unsigned long f) {
    if (number == SYS_seccomp) {
        if (a == SECCOMP_SET_MODE_STRICT) before_filter(nullptr);
        else if (a == SECCOMP_SET_MODE_FILTER && c != 0) before_filter(as_filter(c));
    } else if (number == SYS_prctl) {
        before_prctl(a, b, c);
    }
    const auto next = real_functions().syscall;
    __atomic_store_n(&memtrace_next_syscall, next, __ATOMIC_RELEASE);
    return next(number, a, b, c, d, e, f);
}

}  // extern "C"

// syscall() must leave registers and stack as they are: a call may return twice.
static_assert(SYS_seccomp == 317 && SYS_prctl == 157);
MEMTRACE_EXPORT [[gnu::naked]] long syscall(long, ...) {
    asm(R"(
    cmpq $317, %rdi
    je 1f
    cmpq $157, %rdi
    je 1f
    movq memtrace_next_syscall(%rip), %rax
    testq %rax, %rax
    je 1f
    jmp *%rax
1:  jmp memtrace_watched_syscall
)");
}
