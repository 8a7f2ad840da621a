// SPDX-License-Identifier: Apache-2.0
//
// run: manual
// small_stacks WAY FILE   does one thing on a stack of its own, as a coroutine would
//
// The stack lies in FILE and is full of one byte: what is different afterwards was in use.
//
//   events    allocations of each kind, until rings have been written to the dump many times
//   asked     allocations and pauses until FILE.stop exists
//   fork      a child that allocates; its stack is the one in FILE
//   exit, return_in_child, quick_exit, _exit, exec
//   filter    a filter of system calls that would kill what memtrace needs, then allocations
//   handler   exit() in a handler on an alternate stack
//   library   dlopen() and dlclose()
//   thread    the first events of a thread
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "support.h"

enum { stack_bytes = 64 << 10, paint = 0xab };

static ucontext_t back, other;
static const char* way;
static const char* file;

static void allocate(int count) {
    for (int i = 0; i < count; ++i) {
        void* block = malloc(100 + i % 1000);
        if (i % 2) free(block);
    }
}

static void on_signal(int number) { exit(number == SIGUSR1 ? 5 : 6); }

static void set_filter(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, steps};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void* in_thread(void* none) {
    allocate(10);
    return none;
}

static int is(const char* name) { return strcmp(way, name) == 0; }

static void go(void) {
    allocate(10);
    if (is("events")) {
        uint32_t number = 1;  // sizes that no compression guesses
        for (int i = 0; i < 200000; ++i) {
            number = number * 1664525 + 1013904223;
            free(malloc(number >> 22));
        }
    }
    if (is("asked")) {
        char name[512];
        snprintf(name, sizeof name, "%s.stop", file);
        while (access(name, F_OK) != 0) {
            allocate(10);
            usleep(1000);
        }
    }
    if (is("fork")) _exit(3);
    if (is("return_in_child")) exit(3);
    if (is("exit")) exit(7);
    if (is("quick_exit")) quick_exit(7);
    if (is("_exit")) _exit(7);
    if (is("exec")) execl("/bin/true", "true", NULL);
    if (is("filter")) {
        set_filter();
        allocate(1000);
    }
    if (is("library")) {
        void* library = dlopen("libm.so.6", RTLD_NOW);
        if (library != NULL) dlclose(library);
    }
    if (is("handler")) raise(SIGUSR1);
}

int main(int count, char** words) {
    if (count < 3) return 2;
    way = words[1];
    file = words[2];
    int fd = open(file, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, stack_bytes) != 0) return 2;
    void* stack = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (stack == MAP_FAILED) return 2;
    memset(stack, paint, stack_bytes);
    if (is("handler")) {
        stack_t own = {.ss_sp = stack, .ss_size = stack_bytes};
        sigaltstack(&own, NULL);
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
        sigaction(SIGUSR1, &action, NULL);
        allocate(10);
        raise(SIGUSR1);
        return 1;
    }
    if (is("thread")) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        CHECK(pthread_attr_setstack(&attributes, stack, stack_bytes) == 0);
        pthread_t thread;
        CHECK(pthread_create(&thread, &attributes, in_thread, NULL) == 0);
        pthread_join(thread, NULL);
        return 0;
    }
    allocate(10);
    if (is("fork") || is("return_in_child")) {
        int status;
        pid_t child = fork();
        if (child != 0) return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 99;
    }
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = stack_bytes;
    other.uc_link = &back;
    makecontext(&other, go, 0);
    swapcontext(&back, &other);
    return 0;
}
