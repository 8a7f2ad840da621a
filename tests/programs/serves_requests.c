// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// A server that its test drives: for each line "N" on standard input, its threads serve N requests,
// of which each keeps a block of 700 bytes and replaces one in a cache of 200-byte blocks. Then it
// prints "BYTES BLOCKS", what it holds by its own count.
#include "support.h"

#include <stdio.h>

enum { threads = 3, places = 512, kept_size = 700, cached_size = 200 };

static struct worker {
    pthread_t thread;
    int number;
    long wanted;
    long kept;
    long cached;
    void* cache[places];
} workers[threads];

static pthread_barrier_t begin, end;

__attribute__((noinline)) static void* keep(void) { return malloc(kept_size); }

__attribute__((noinline)) static void* put_into_cache(struct worker* self, unsigned place) {
    void* old = self->cache[place];
    self->cache[place] = malloc(cached_size);
    if (old == NULL) self->cached += 1;
    return old;
}

static void* serve(void* given) {
    struct worker* self = given;
    unsigned random = (unsigned)self->number * 7919u;
    for (;;) {
        pthread_barrier_wait(&begin);
        if (self->wanted < 0) return NULL;
        for (long i = 0; i < self->wanted; ++i) {
            random = random * 1103515245u + 12345u;
            void* buffer = malloc(3000);
            CHECK(keep() != NULL);
            self->kept += 1;
            free(put_into_cache(self, (random >> 16) % places));
            free(buffer);
        }
        pthread_barrier_wait(&end);
    }
}

int main(void) {
    pthread_barrier_init(&begin, NULL, threads + 1);
    pthread_barrier_init(&end, NULL, threads + 1);
    for (int i = 0; i < threads; ++i) {
        workers[i].number = i + 1;
        CHECK(pthread_create(&workers[i].thread, NULL, serve, &workers[i]) == 0);
    }
    char line[64];
    say("ready\n");
    for (;;) {
        const ssize_t count = read(0, line, sizeof line - 1);
        if (count <= 0) break;
        line[count] = 0;
        for (int i = 0; i < threads; ++i) workers[i].wanted = atol(line) / threads;
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&end);
        long bytes = 0, blocks = 0;
        for (int i = 0; i < threads; ++i) {
            bytes += workers[i].kept * kept_size + workers[i].cached * cached_size;
            blocks += workers[i].kept + workers[i].cached;
        }
        char text[64];
        snprintf(text, sizeof text, "%ld %ld\n", bytes, blocks);
        say(text);
    }
    for (int i = 0; i < threads; ++i) workers[i].wanted = -1;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < threads; ++i) pthread_join(workers[i].thread, NULL);
    return 0;
}
