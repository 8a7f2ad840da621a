// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// Allocates, sets a filter of system calls for itself (argument: how), and allocates on.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "support.h"

#define ALLOW(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void allocate(void) {
    for (int i = 0; i < 100000; ++i) free(malloc((size_t)(i % 100)));
}

#define REFUSE(number)                                 \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static void set_filter(const char* how, const struct sock_fprog* program) {
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (strcmp(how, "syscall") == 0) {
        CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0);
    } else if (strcmp(how, "threads") == 0) {
        CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program) ==
              0);
    } else {
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) == 0);
    }
}

static void permit_little(const char* how, unsigned otherwise) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_write),
        ALLOW(SYS_brk),
        ALLOW(SYS_mmap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_exit_group),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_madvise),
        ALLOW(SYS_futex),
        BPF_STMT(BPF_RET | BPF_K, otherwise)};
    const struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    set_filter(how, &program);
}

// Ends the process at one system call.
static void refuse(const char* how, unsigned number) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), REFUSE(number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    set_filter(how, &program);
}

static int is_beside;

static void* allocate_beside(void* unused) {
    (void)unused;
    for (;;) {
        allocate();
        __atomic_store_n(&is_beside, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void* allocate_and_end(void* barrier) {
    allocate();
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    return NULL;
}

// A thread that recorded ends under a filter that permits no look at its name.
static void end_a_thread(void) {
    pthread_t thread;
    pthread_barrier_t barrier;
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, allocate_and_end, &barrier) == 0);
    pthread_barrier_wait(&barrier);
    refuse("threads", SYS_prctl);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(int count, char** arguments) {
    CHECK(count == 2);
    const char* how = arguments[1];
    allocate();
    if (strcmp(how, "threads") == 0) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, allocate_beside, NULL) == 0);
        // Its first allocation asks the system for more than the filter permits.
        while (!__atomic_load_n(&is_beside, __ATOMIC_ACQUIRE)) usleep(1000);
    }
    if (strcmp(how, "asks") == 0) {
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT);
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 8) == -1);
    } else if (strcmp(how, "strict") == 0) {
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    } else if (strcmp(how, "ends") == 0) {
        end_a_thread();
    } else if (strcmp(how, "again") == 0) {
        refuse(how, SYS_openat);
        refuse(how, SYS_process_vm_readv);
        refuse(how, SYS_ptrace);
    } else if (strcmp(how, "unread") == 0) {
        refuse(how, SYS_process_vm_readv);
        allocate();
        refuse(how, SYS_ptrace);
    } else {
        permit_little(how, strcmp(how, "errno") == 0  ? SECCOMP_RET_ERRNO | EPERM
                           : strcmp(how, "trap") == 0 ? SECCOMP_RET_TRAP
                                                      : SECCOMP_RET_KILL_PROCESS);
    }
    allocate();
    say("allocated under the filter\n");
    if (strcmp(how, "strict") == 0) syscall(SYS_exit, 7);
    _exit(7);
}
