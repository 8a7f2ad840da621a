// SPDX-License-Identifier: Apache-2.0
#include "preload/helper/detached_helper.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <atomic>

#include "preload/base/held_signals.h"
#include "preload/base/sys.h"
#include "preload/helper/reporter.h"

namespace memtrace::preload {
namespace {

std::atomic<const char*> forbidden;  // why; nullptr: it is not
Path reporter;                       // of the one thread that may start a helper

// The children run on these, because their caller's stack stands still beneath them.
constexpr size_t stack_bytes = 16384;
alignas(16) char child_stack[stack_bytes];
alignas(16) char reporter_stack[stack_bytes];

struct Start {
    const char* const* words;
    int descriptor;
    long process;  // of the reporter; the child writes it
};

using Run = void (*)(Start*);

// Calls run(start) in a child that shares the memory of this process. Returns when the child has
// ended or runs another program: its number, or the error, negated.
long run_in_child(char* stack, Run run, Start* start) {
    const uint64_t top = reinterpret_cast<uint64_t>(stack) + stack_bytes;
    long result;
    register long no_thread asm("r10") = 0;
    register Run called asm("r8") = run;
    register Start* argument asm("r9") = start;
    asm volatile(
        "syscall\n\t"
        "testq %%rax, %%rax\n\t"
        "jnz 1f\n\t"
        "xorl %%ebp, %%ebp\n\t"
        "movq %%r9, %%rdi\n\t"
        "callq *%%r8\n\t"
        "hlt\n"
        "1:"
        : "=a"(result)
        : "a"(SYS_clone), "D"(CLONE_VM | CLONE_VFORK), "S"(top), "d"(0), "r"(no_thread),
          "r"(called), "r"(argument)
        : "rcx", "r11", "cc", "memory");
    return result;
}

void become_reporter(Start* start) { run_reporter(start->words); }

void become_parent(Start* start) {
    constexpr int idle_class = 3 << 13, this_process = 1;  // of ioprio_set
    sys::call(SYS_setsid);
    sys::call(SYS_ioprio_set, this_process, 0, idle_class);
    keep_descriptors({start->descriptor});
    start->process = run_in_child(reporter_stack, become_reporter, start);
    sys::call(SYS_exit_group, 0);
    __builtin_unreachable();
}

// An orphan would come to the program itself.
bool takes_orphans() {
    int is_subreaper = 0;
    sys::call(SYS_prctl, PR_GET_CHILD_SUBREAPER, sys::address_of(&is_subreaper));
    return sys::pid() == 1 || is_subreaper != 0;
}

}  // namespace

const char* why_no_helper() {
    if (const char* const why = forbidden.load()) return why;
    find_reporter(reporter);
    if (reporter.size() == 0) return why_no_reporter();
    if (const char* const why = why_no_child()) return why;
    if (takes_orphans()) {
        return "the program is process 1 of its container, or takes orphaned processes, and would "
               "see the helper";
    }
    return nullptr;
}

bool helpers_are_forbidden() { return forbidden.load() != nullptr; }

void forbid_helpers(const char* why) { forbidden.store(why); }

bool start_detached_helper(const char* word, int descriptor, const char* number) {
    const char* const words[] = {reporter.c_str(), word, "/proc/self/fd/3", number, nullptr};
    Start start{words, descriptor, 0};
    // No handler of the program may run in a child that shares its memory.
    const BlockedSignals quiet(~uint64_t{0});
    const long child = run_in_child(child_stack, become_parent, &start);
    if (sys::failed(child)) return false;
    int status = 0;
    while (sys::call(SYS_wait4, child, sys::address_of(&status), __WALL) == -EINTR) {
    }
    return start.process > 0;
}

}  // namespace memtrace::preload
