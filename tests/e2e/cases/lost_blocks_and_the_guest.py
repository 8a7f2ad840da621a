"""A search for lost blocks is not seen by the program: not by wait(), not in its descriptors, not
by its signal handlers, not by the exit code, and it leaves no process behind."""
import glob
import os
import subprocess
import time

from harness import environment, expect, folder, report, require, run, shim

PROGRAM = r"""
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <dirent.h>

int memtrace_check_lost(void) __attribute__((weak));

static volatile sig_atomic_t signals;
static void count(int number) { (void)number; ++signals; }

static int descriptors(void) {
    int count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (readdir(folder)) ++count;
    closedir(folder);
    return count;
}

int main(void) {
    for (int number = 1; number < 32; ++number) signal(number, count);
    int ends[2];
    if (pipe(ends) != 0) return 2;
    const int before = descriptors();
    volatile char* gone = malloc(123);
    gone = NULL;
    if (memtrace_check_lost && memtrace_check_lost() != 1) return 3;
    if (descriptors() != before) return 4;
    errno = 0;
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) return 5;
    if (signals != 0) return 6;
    // No copy of the process holds the other end.
    close(ends[1]);
    char byte;
    if (read(ends[0], &byte, 1) != 0) return 7;
    // A child of the program's own is found, and no other.
    const pid_t child = fork();
    if (child == 0) _exit(9);
    int status = 0;
    if (waitpid(-1, &status, 0) != child || WEXITSTATUS(status) != 9) return 8;
    // A child that shares the memory runs the handlers of exit(), and its end is its own.
    const pid_t borrower = vfork();
    if (borrower == 0) exit(11);
    if (waitpid(borrower, &status, 0) != borrower || WEXITSTATUS(status) != 11) return 10;
    puts("fine");
    return 42;
}
"""


def copies_of(program):
    """Returns the processes that run the program's file, or search its copy."""
    found = []
    for process in glob.glob("/proc/[0-9]*"):
        try:
            if os.readlink(process + "/exe") == program:
                found.append(process)
        except OSError:  # it is gone, or another user's
            continue
    return found


def test():
    source = os.path.join(folder(), "guest.c")
    program = os.path.join(folder(), "guest")
    dump = os.path.join(folder(), "guest.bin")
    with open(source, "w") as file:
        file.write(PROGRAM)
    subprocess.run(["cc", "-O1", "-w", "-o", program, source], check=True)
    ended = run([program], environment([shim()], options="lost=exit,children=none", output=dump))
    expect((ended.status, ended.stdout), (42, "fine\n"), "exit code, output")
    data = report(dump, "leaks").data
    expect(data["program"]["end"], "exit 42", "how the recording ends")
    searches = data["lost"]["searches"]
    expect([(search["state"], search["cause"]) for search in searches],
           [("done", "program"), ("done", "work_end")], "searches")
    time.sleep(0.5)
    left = copies_of(program)
    require(not left, f"processes that are left: {left}")
