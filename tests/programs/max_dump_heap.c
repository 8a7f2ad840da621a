/* SPDX-License-Identifier: Apache-2.0
 * run: manual
 *
 * Threads churn through blocks for as many rounds as argv[1] says: by malloc, calloc, realloc and
 * aligned_alloc. They keep a cache, lose one block in 10,000, and hand blocks to each other. Blocks
 * from the beginning are given back at the end. Prints for each function the bytes that it took,
 * and the bytes that are left. argv[2], if given: microseconds of rest after 1000 rounds. The end
 * is 2 if the program has got a child, which it never made.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 3, old_count = 20000, cached = 4096, lent = 512, lost_max = 1 << 16 };
enum { churn, zeroed, grown, aligned, kept, lost, shared, old, functions };

static const char* const names[functions] = {"take_churn",   "take_zeroed", "take_grown",
                                             "take_aligned", "take_kept",   "take_lost",
                                             "take_shared",  "take_old"};
static _Atomic size_t took[functions], left[functions];
static _Atomic(void*) shelf[lent];
static useconds_t rest;
static void* lost_blocks[threads][lost_max]; /* reachable, and never given back */

static size_t next(unsigned* seed, size_t below) { return (size_t)rand_r(seed) % below; }

static void* used(void* block) {
    *(volatile char*)block = 1;
    return block;
}

#define TAKE(name, number, call)                               \
    __attribute__((noinline)) static void* name(size_t size) { \
        took[number] += size;                                  \
        return used(call);                                     \
    }
TAKE(take_churn, churn, malloc(size))
TAKE(take_zeroed, zeroed, calloc(1, size))
TAKE(take_aligned, aligned, aligned_alloc(64, size))
TAKE(take_kept, kept, malloc(size))
TAKE(take_lost, lost, malloc(size))
TAKE(take_shared, shared, malloc(size))
TAKE(take_old, old, malloc(size))

__attribute__((noinline)) static void* take_grown(void* block, size_t size) {
    took[grown] += size;
    return used(realloc(block, size));
}

struct kept_block {
    void* block;
    size_t size;
};

static void* work(void* number) {
    const size_t thread = (size_t)number & 0xff, rounds = (size_t)number >> 8;
    unsigned seed = 17 + (unsigned)thread;
    struct kept_block* const cache = calloc(cached, sizeof *cache);
    size_t lost_count = 0;
    for (size_t round = 0; round < rounds; ++round) {
        if (rest != 0 && round % 1000 == 0) usleep(rest);
        free(take_churn(16 + next(&seed, 400)));
        if (round % 3 == 0) free(take_zeroed(8 + next(&seed, 100)));
        if (round % 7 == 0) {
            void* block = NULL;
            for (size_t size = 100; size < 1000; size += 300) block = take_grown(block, size);
            free(block);
        }
        if (round % 11 == 0) free(take_aligned(64 * (1 + next(&seed, 8))));
        if (round % 5 == 0) {
            struct kept_block* const place = &cache[next(&seed, cached)];
            free(place->block);
            left[kept] -= place->size;
            place->size = 32 + next(&seed, 500);
            place->block = take_kept(place->size);
            left[kept] += place->size;
        }
        if (round % 10000 == 0 && lost_count < lost_max) {
            const size_t size = 1000 + next(&seed, 3000);
            lost_blocks[thread][lost_count++] = take_lost(size);
            left[lost] += size;
        }
        if (round % 13 == 0) {
            /* What another thread has left there goes with it. */
            free(atomic_exchange(&shelf[next(&seed, lent)], take_shared(200)));
        }
    }
    return cache;
}

int main(int count, char** arguments) {
    const size_t rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000000;
    if (count > 2) rest = (useconds_t)strtoul(arguments[2], NULL, 10);
    static void* from_before[old_count];
    for (int i = 0; i < old_count; ++i) from_before[i] = take_old(100 + (size_t)i % 200);
    pthread_t others[threads];
    for (size_t i = 0; i < threads; ++i) {
        pthread_create(&others[i], NULL, work, (void*)(rounds << 8 | i));
    }
    void* caches[threads];
    for (size_t i = 0; i < threads; ++i) pthread_join(others[i], &caches[i]);
    for (int i = 0; i < old_count / 2; ++i) {
        free(from_before[i]);
        from_before[i] = NULL;
    }
    for (int i = old_count / 2; i < old_count; ++i) left[old] += 100 + (size_t)i % 200;
    for (int i = 0; i < lent; ++i) left[shared] += shelf[i] == NULL ? 0 : 200;
    for (int i = 0; i < functions; ++i) printf("%s %zu %zu\n", names[i], took[i], left[i]);
    fflush(stdout);
    const int has_child = waitpid(-1, NULL, __WALL | WNOHANG) != -1 || errno != ECHILD;
    return has_child ? 2 : caches[0] == from_before[0];
}
