// truth: allocations=128*16*200 frees=128*16*200 bytes=128*16*200*64 leaked_blocks=0 leaked_bytes=0
// run: scope=own dump_below=67108864
// A hundred threads that live at the same time, again and again. What memtrace keeps for them is
// used again: the last round needs no more memory than the second.
#include <stdio.h>
#include <string.h>

#include "support.h"

#ifndef ROUNDS
#define ROUNDS 16
#define EACH 200
#define KEYS 0
#endif

enum { alive = 128, more_kib_max = 24 << 10 };

static pthread_barrier_t barrier;

// Without an allocation.
static long resident_kib(void) {
    static char text[8192];
    FILE* file = fopen("/proc/self/status", "r");
    setvbuf(file, NULL, _IONBF, 0);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    fclose(file);
    const char* line = strstr(text, "RssAnon:");
    return line == NULL ? 0 : atol(line + 8);
}

static void* work(void* unused) {
    for (int i = 0; i < EACH; ++i) {
        void* volatile block = malloc(64);
        free(block);
    }
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_key_t keys[KEYS + 1];
    for (int i = 0; i < KEYS; ++i) CHECK(pthread_key_create(&keys[i], NULL) == 0);
    pthread_t threads[alive];
    long before = 0;
    CHECK(pthread_barrier_init(&barrier, NULL, alive) == 0);
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < alive; ++i) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
        for (int i = 0; i < alive; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
        if (round == 1) before = resident_kib();
    }
    CHECK(resident_kib() < before + more_kib_max);
    return 0;
}
