// truth: allocations=83 frees=65 bytes=633462 leaked_blocks=18 leaked_bytes=504550
// truth mmap: allocations=1 frees=0 bytes=4096 leaked_blocks=1 leaked_bytes=4096
// Blocks of every kind that a search for lost blocks tells apart. What each is, is in its
// function's name; the sizes tell them apart in a report:
//
//   lost_blocks [exit|check|threads|ignore|fork|asked FILE]
//
//   definitely lost     100, 3 x 200, 64
//   indirectly lost     101, 102, 65
//   possibly lost       300
//   still reachable     all others
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memtrace/memtrace.h"

__attribute__((weak)) void __lsan_ignore_object(const void*);
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);
__attribute__((weak)) void __lsan_register_root_region(const void*, size_t);

struct node {
    struct node* next;
    struct node* other;
};

static void* volatile held_by_data;
static struct node* volatile list;
static char* volatile middle_is_held;
static _Thread_local void* volatile held_by_thread;
static void** pages;
static pthread_key_t key;

#define ALONE __attribute__((noinline, noclone))

static ALONE void* block(size_t size) {
    void* result = malloc(size);
    memset(result, 0, size);
    return result;
}

// Covers what the calls before it have left on the stack.
static ALONE void wipe_stack(void) {
    volatile char bytes[16384];
    memset((char*)bytes, 0, sizeof bytes);
}

static ALONE void definitely_lost(void) {
    volatile struct node* chain = block(100);
    chain->next = block(101);
    chain->next->next = block(102);
    chain = NULL;
}

static ALONE void lost_in_a_loop(void) {
    for (int i = 0; i < 3; ++i) {
        volatile char* gone = block(200);
        gone[0] = 1;
        gone = NULL;
    }
}

static ALONE void circle_is_lost(void) {
    volatile struct node* first = block(64);
    first->next = block(65);
    first->next->next = (struct node*)first;
    first = NULL;
}

static ALONE void held_everywhere(void) {
    held_by_data = block(400);
    for (int i = 0; i < 4; ++i) {
        struct node* fresh = block(401);
        fresh->next = list;
        list = fresh;
    }
    held_by_thread = block(402);
    pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[7] = block(403);
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, block(404));
    held_by_data = realloc(held_by_data, 500000);  // a mapping of its own
    ((void**)held_by_data)[60000] = block(405);
    char* far = block(300);
    middle_is_held = far + 150;
}

// Free chunks beside a lost block: the allocator's lists point to their heads, which overlap it.
static ALONE void free_neighbours(void) {
    void* blocks[64];
    for (int i = 0; i < 64; ++i) blocks[i] = block(2008);
    for (int i = 0; i < 64; i += 2) free(blocks[i]);
    for (int i = 1; i < 64; i += 2) {
        ((void**)blocks[i])[0] = list;
        free(blocks[i]);
    }
    memset(blocks, 0, sizeof blocks);
}

// More blocks of one place than registers of another thread could hold.
static ALONE void many_are_lost(void) {
    for (int i = 0; i < 20; ++i) {
        volatile char* gone = block(900);
        gone[0] = 1;
        gone = NULL;
    }
}

static pthread_barrier_t ready, done;

static void* waits(void* unused) {
    (void)unused;
    held_by_thread = block(501);
    void* volatile on_stack = block(502);
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&done);
    free(on_stack);
    free(held_by_thread);
    return NULL;
}

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "exit";
    held_everywhere();
    definitely_lost();
    lost_in_a_loop();
    circle_is_lost();
    free_neighbours();
    if (strcmp(how, "ignore") == 0) {
        if (__lsan_ignore_object) __lsan_ignore_object(block(600));
        if (__lsan_disable) __lsan_disable();
        block(601);
        if (__lsan_enable) __lsan_enable();
    }
    if (strcmp(how, "threads") == 0) many_are_lost();
    wipe_stack();
    pthread_t thread;
    if (strcmp(how, "threads") == 0) {
        pthread_barrier_init(&ready, NULL, 2);
        pthread_barrier_init(&done, NULL, 2);
        pthread_create(&thread, NULL, waits, NULL);
        pthread_barrier_wait(&ready);
    }
    if (strcmp(how, "fork") == 0) {
        const pid_t child = fork();
        if (child != 0) {
            waitpid(child, NULL, 0);
            return 0;
        }
        // Only a block of the parent's points to it.
        ((void**)held_by_data)[1] = block(700);
        exit(0);
    }
    if (strcmp(how, "check") == 0) printf("%d\n", MEMTRACE_CHECK_LOST());
    if (strcmp(how, "asked") == 0) {
        // Events go on until somebody has had an answer.
        puts("ready");
        fflush(stdout);
        char* line = NULL;
        for (;;) {
            free(block(16));
            usleep(2000);
            if (access(argv[2], F_OK) == 0) break;
        }
        free(line);
    }
    if (strcmp(how, "threads") == 0) {
        printf("%d\n", MEMTRACE_CHECK_LOST());
        pthread_barrier_wait(&done);
        pthread_join(thread, NULL);
    }
    return 0;
}
