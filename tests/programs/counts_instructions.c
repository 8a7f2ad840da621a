// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// counts_instructions PROGRAM ARGUMENT… runs a program, with COUNT_PRELOAD as its LD_PRELOAD, and
// prints the number of instructions between its first two breakpoints (int3).
#include "support.h"

#include <stdio.h>
#include <sys/ptrace.h>

static int stopped_by(pid_t child) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFSTOPPED(status)) {
        put(2, "the program ended before its second breakpoint\n");
        _exit(96);
    }
    return WSTOPSIG(status);
}

// True if the child stopped at a breakpoint, and not because it made a step.
static int is_at_breakpoint(pid_t child) {
    siginfo_t why;
    CHECK(ptrace(PTRACE_GETSIGINFO, child, NULL, &why) == 0);
    return why.si_code == SI_KERNEL;
}

int main(int argc, char** argv) {
    CHECK(argc > 1);
    const pid_t child = fork();
    if (child == 0) {
        const char* const preload = getenv("COUNT_PRELOAD");
        if (preload != NULL && *preload != 0) setenv("LD_PRELOAD", preload, 1);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
        execv(argv[1], argv + 1);
        _exit(95);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip("no process may be traced here");
    CHECK(WIFSTOPPED(status));  // by exec
    CHECK(ptrace(PTRACE_CONT, child, NULL, NULL) == 0);
    CHECK(stopped_by(child) == SIGTRAP);
    long instructions = 0;
    do {
        CHECK(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0);
        CHECK(stopped_by(child) == SIGTRAP);
        instructions += 1;
    } while (!is_at_breakpoint(child));
    kill(child, SIGKILL);
    char text[32];
    snprintf(text, sizeof text, "%ld\n", instructions);
    say(text);
    return 0;
}
