// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=0 leaked_bytes=0
// run: manual
// A timer's handler maps, resizes and unmaps pages, often in the middle of malloc.
#include "support.h"

#include <stdio.h>
#include <sys/time.h>

static volatile unsigned long in_handler, in_main;

static void tick(int number) {
    (void)number;
    const int kept_errno = errno;
    void* pages = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages = mremap(pages, 4096, 8192, MREMAP_MAYMOVE);
    munmap(pages, 8192);
    in_handler += 1;
    errno = kept_errno;
}

int main(void) {
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    while (in_handler < 3000 && in_main < 3000000) {
        free(malloc(24));
        in_main += 1;
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    // For the test: how often the handler ran.
    char text[64];
    snprintf(text, sizeof text, "%lu\n", in_handler);
    put(2, text);
    CHECK(in_handler > 100);
    return 0;
}
