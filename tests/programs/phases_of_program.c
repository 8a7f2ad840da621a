// run: manual
// Marks its phases through memtrace.h, and counts what it takes: the most that was alive in each
// phase, beyond what was there before, and what is left of it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "memtrace/memtrace.h"

static void* blocks[3000];
static size_t sizes[3000], alive, most, taken, count;

static void take(int place, size_t size) {
    blocks[place] = malloc(size);
    alive += sizes[place] = size;
    taken += size;
    count += 1;
    if (alive > most) most = alive;
}

static void give(int place) {
    free(blocks[place]);
    alive -= sizes[place];
    sizes[place] = 0;
}

static void* ends(void* name) {
    MEMTRACE_END((const char*)name);
    return NULL;
}

int main(void) {
    static char buffer[4096];
    pthread_t thread;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    take(0, 123456);
    const size_t before = most = alive;
    taken = count = 0;
    MEMTRACE_BEGIN("work");
    for (int i = 1; i < 3000; ++i) {
        take(i, (size_t)(i * 7919) % 5000);
        if (i % 3 == 0) give(i / 2);
        if (i == 1500) MEMTRACE_MARK("halfway");
        if (i % 100 == 0) MEMTRACE_BEGIN("part");
        if (i % 100 == 50 && i > 100) MEMTRACE_END("part");
    }
    for (int i = 2000; i < 2500; ++i) give(i);
    const size_t left = alive - before;
    MEMTRACE_END("work");
    printf("count %zu taken %zu rise %zu left %zu\n", count, taken, most - before, left);
    give(2999);
    printf("leaked %zu\n", alive - before);
    MEMTRACE_BEGIN("ended elsewhere");
    pthread_create(&thread, NULL, ends, "ended elsewhere");
    pthread_join(thread, NULL);
    MEMTRACE_END("never begun");
    MEMTRACE_BEGIN("to the end");
    return 0;
}
