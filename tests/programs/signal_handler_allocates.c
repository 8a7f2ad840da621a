// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=0 leaked_bytes=0
// run: after=lib_bump_allocator stderr=free oracle=no
// A timer's handler allocates, often in the middle of malloc, over an allocator that permits that.
#include <stdio.h>
#include <sys/time.h>

#include "support.h"

static volatile unsigned long in_handler, in_main;

static void tick(int signal_number) {
    (void)signal_number;
    const int kept_errno = errno;
    void* block = malloc(40);
    block = realloc(block, 50);
    free(block);
    in_handler += 1;
    errno = kept_errno;
}

int main(void) {
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    while (in_handler < 3000) {
        void* block = malloc(24);
        CHECK(block != NULL);
        free(block);
        in_main += 1;
        if (in_main > 3000000) break;
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    // For the test: how often each of the two allocated.
    char text[64];
    snprintf(text, sizeof text, "%lu %lu\n", in_main, in_handler);
    put(2, text);
    CHECK(in_handler > 100);
    return 0;
}
