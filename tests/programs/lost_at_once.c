// truth: allocations=100 frees=0 bytes=100000 leaked_blocks=100 leaked_bytes=100000
// A program in which searches for lost blocks meet. It loses 100 blocks and does what it reads:
//
//   l   loses 30 more     a   allocates and frees for a second      c   searches itself
//   t   starts a thread that does nothing, so that a search looks twice
//   o   takes orphans and counts SIGCHLD; it ends with 9 if it has got any
//   d   takes from itself the right to open further files
//   n   moves its children to a PID namespace of their own, if it may, and makes one after a search
//
// It says "ready" at the beginning and "done" after each letter, and exits at the end of its input.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

#define ALONE __attribute__((noinline, noclone))

ALONE static void lose(int count) {
    for (int i = 0; i < count; ++i) {
        void* volatile block = malloc(1000);
        memset(block, 1, 1000);
    }
}

ALONE static void overwrite_the_stack(void) {
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

ALONE static void allocate_for_a_second(void) {
    const struct timespec millisecond = {0, 1000000};
    for (const double end = now() + 1; now() < end;) {
        void* volatile block = malloc(10);
        free(block);
        nanosleep(&millisecond, NULL);
    }
}

static void* stand_still(void* unused) {
    for (;;) pause();
    return unused;
}

static void say(const char* text) {
    if (write(1, text, strlen(text)) < 0) _exit(2);
}

static volatile sig_atomic_t signals;

static void count(int number) {
    (void)number;
    ++signals;
}

static void take_orphans(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, count);
}

static void open_no_more(void) {
    const struct rlimit limit = {3, 3};
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void search_in_a_namespace(void) {
    if (unshare(CLONE_NEWPID) != 0) return;
    if (__lsan_do_recoverable_leak_check) __lsan_do_recoverable_leak_check();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0 || waitpid(child, NULL, 0) != child) _exit(3);
}

int main(void) {
    lose(100);
    overwrite_the_stack();
    say("ready\n");
    pthread_t thread;
    for (char letter; read(0, &letter, 1) == 1;) {
        if (letter == 'l') lose(30);
        else if (letter == 't') pthread_create(&thread, NULL, stand_still, NULL);
        else if (letter == 'a') allocate_for_a_second();
        else if (letter == 'o') take_orphans();
        else if (letter == 'd') open_no_more();
        else if (letter == 'n') search_in_a_namespace();
        else if (letter == 'c' && __lsan_do_recoverable_leak_check)
            __lsan_do_recoverable_leak_check();
        overwrite_the_stack();
        say("done\n");
    }
    exit(signals != 0 || waitpid(-1, NULL, WNOHANG) > 0 ? 9 : 0);
}
