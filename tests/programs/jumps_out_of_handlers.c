// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// A timer's handler leaves by siglongjmp what it interrupted, often the recording of an event;
// later the program overflows a stack and leaves that handler in the same way. Then it works on.
#include <setjmp.h>
#include <sys/time.h>

#include "support.h"

static sigjmp_buf back;

static void leave(int number) {
    (void)number;
    siglongjmp(back, 1);
}

__attribute__((noinline)) static int deeper(int depth) {
    char* volatile block = malloc(32);
    const int result = depth > 0 ? deeper(depth + 1) + 1 : 0;
    free(block);
    return result;
}

static void overflow(void) {
    static char handlers[65536];
    const stack_t stack = {.ss_sp = handlers, .ss_size = sizeof handlers};
    CHECK(sigaltstack(&stack, NULL) == 0);
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK | SA_NODEFER};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    for (volatile int i = 0; i < 3; ++i) {
        if (!sigsetjmp(back, 1)) deeper(1);
    }
    CHECK(signal(SIGSEGV, SIG_DFL) != SIG_ERR);
}

int main(void) {
    CHECK(signal(SIGALRM, leave) != SIG_ERR);
    for (volatile int jumps = 0; jumps < 200; ++jumps) {
        if (sigsetjmp(back, 1)) continue;
        const struct itimerval once = {{0, 0}, {0, 100 + jumps}};
        CHECK(setitimer(ITIMER_REAL, &once, NULL) == 0);
        for (;;) munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    }
    overflow();
    for (int i = 0; i < 100000; ++i) free(malloc(10));
    say("worked on\n");
    return 0;
}
