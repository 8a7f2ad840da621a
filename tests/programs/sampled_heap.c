/* SPDX-License-Identifier: Apache-2.0
 * run: manual
 *
 * Six functions take blocks of very different sizes, in turns, and give back most of them: by free,
 * by realloc, in another thread, and in a forked child. Prints for each function the bytes that it
 * took, and the bytes that are left.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { functions = 6, kept_max = 1 << 16, rounds = 150000 };

struct site {
    const char* name;
    size_t took, left;
};
static struct site sites[functions] = {{"tiny", 0, 0},  {"small", 0, 0}, {"middle", 0, 0},
                                       {"large", 0, 0}, {"huge", 0, 0},  {"resized", 0, 0}};
static void* kept[kept_max];
static unsigned kept_count;
static unsigned seed = 7;

static unsigned next(unsigned below) { return (unsigned)rand_r(&seed) % below; }

#define SITE(function, number)                                     \
    __attribute__((noinline)) static void* function(size_t size) { \
        sites[number].took += size;                                \
        void* block = malloc(size);                                \
        memset(block, 1, 1);                                       \
        return block;                                              \
    }
SITE(tiny, 0)
SITE(small, 1)
SITE(middle, 2)
SITE(large, 3)
SITE(huge, 4)

__attribute__((noinline)) static void* resized(void* block, size_t size) {
    sites[5].took += size;
    return realloc(block, size);
}

static void keep(int site, void* block, size_t size) {
    if (kept_count == kept_max) return free(block);
    sites[site].left += size;
    kept[kept_count++] = block;
}

static void* give(void* block) {
    free(block);
    return NULL;
}

static void give_in_thread(void* block) {
    pthread_t thread;
    pthread_create(&thread, NULL, give, block);
    pthread_join(thread, NULL);
}

static void one_round(unsigned round) {
    size_t size = 8 + next(24);
    void* block = tiny(size);
    if (next(50) == 0) keep(0, block, size);
    else free(block);
    size = 200 + next(400);
    block = small(size);
    if (next(100) == 0) keep(1, block, size);
    else free(block);
    if (round % 10 == 0) {
        size = 3000 + next(3000);
        block = middle(size);
        if (next(20) == 0) keep(2, block, size);
        else free(block);
    }
    if (round % 200 == 0) {
        size = 60000 + next(10000);
        block = large(size);
        if (next(5) == 0) keep(3, block, size);
        else give_in_thread(block);
    }
    if (round % 5000 == 0) {
        block = huge(3000000);
        if (next(3) == 0) keep(4, block, 3000000);
        else free(block);
    }
    if (round % 20 == 0) {
        block = NULL;
        for (size = 500; size < 5000; size += 500) block = resized(block, size);
        if (next(20) == 0) keep(5, block, size - 500);
        else if (resized(block, 0) != NULL) return;
    }
}

int main(void) {
    for (unsigned round = 0; round < rounds; ++round) one_round(round);
    const pid_t child = fork();
    if (child == 0) {
        for (unsigned i = 0; i < kept_count; ++i) free(kept[i]);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    for (int i = 0; i < functions; ++i) {
        printf("%s %zu %zu\n", sites[i].name, sites[i].took, sites[i].left);
    }
    return 0;
}
