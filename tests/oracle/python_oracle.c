// SPDX-License-Identifier: Apache-2.0
//
// A second, independent count of Python's small objects.
//
//   LD_PRELOAD="libmemtrace.so libpythonoracle.so" PYTHON_ORACLE_OUTPUT=/tmp/o python3 …
//
// It starts behind memtrace, puts functions of its own in front of the interpreter's allocators,
// and counts what pymalloc promises to keep in its arenas: requests of 1 to 512 bytes, and the
// sizes that they are resized to within these limits. It shares no code with memtrace. Counters
// live in a file that is mapped MAP_SHARED, <PYTHON_ORACLE_OUTPUT>.<pid>. A resize counts as one
// release and one acquisition. Blocks from before a fork are "inherited".
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct Allocator {
    void* context;
    void* (*malloc)(void*, size_t);
    void* (*calloc)(void*, size_t, size_t);
    void* (*realloc)(void*, void*, size_t);
    void (*free)(void*, void*);
};

// Read by tests/e2e/cases/python_objects.py.
struct File {
    char magic[8];  // "PYORACL1"
    uint64_t pid, allocations, frees, bytes, live_blocks, live_bytes, inherited_frees;
};

struct Block {
    uintptr_t address;  // 0: never used, 1: removed
    uint32_t size, generation;
};

enum { blocks_max = 1 << 22, small_max = 512 };
static struct Block* blocks;
static struct File nowhere;
static struct File* file = &nowhere;
static uint32_t generation;
static struct Allocator underneath[3];  // by domain; 0 is raw memory and is left alone
static volatile char lock;              // interpreters may have a GIL each

static void open_file(void) {
    const char* base = getenv("PYTHON_ORACLE_OUTPUT");
    file = &nowhere;
    if (!base) return;
    char path[600];
    snprintf(path, sizeof path, "%s.%d", base, (int)getpid());
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return;
    if (ftruncate(fd, sizeof(struct File)) == 0) {
        void* page = mmap(NULL, sizeof(struct File), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (page != MAP_FAILED) file = page;
    }
    close(fd);
    file->pid = (uint64_t)getpid();
    memcpy(file->magic, "PYORACL1", 8);
}

static void forked(void) {
    ++generation;
    open_file();
}

static void enter(void) {
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
    }
}
static void leave(void) { __atomic_clear(&lock, __ATOMIC_RELEASE); }

static size_t home(uintptr_t address) { return (address >> 3) * 0x9e3779b1u % blocks_max; }

static void acquired(void* block, size_t size) {
    if (!block) return;
    enter();
    size_t at = home((uintptr_t)block);
    while (blocks[at].address > 1) at = (at + 1) % blocks_max;
    blocks[at] = (struct Block){(uintptr_t)block, (uint32_t)size, generation};
    file->allocations += 1;
    file->bytes += size;
    file->live_blocks += 1;
    file->live_bytes += size;
    leave();
}

// Returns true if it was a small block.
static bool find(void* block, struct Block** found) {
    size_t at = home((uintptr_t)block);
    for (; blocks[at].address != 0; at = (at + 1) % blocks_max) {
        if (blocks[at].address != (uintptr_t)block) continue;
        *found = &blocks[at];
        return true;
    }
    return false;
}

static bool released(void* block) {
    struct Block* found = NULL;
    enter();
    const bool is_small = find(block, &found);
    if (is_small) {
        found->address = 1;
        if (found->generation != generation) {
            file->inherited_frees += 1;
        } else {
            file->frees += 1;
            file->live_blocks -= 1;
            file->live_bytes -= found->size;
        }
    }
    leave();
    return is_small;
}

static bool is_small(size_t size) { return size >= 1 && size <= small_max; }

static void* counted_malloc(void* context, size_t size) {
    const struct Allocator* next = context;
    void* block = next->malloc(next->context, size);
    if (is_small(size)) acquired(block, size);
    return block;
}

static void* counted_calloc(void* context, size_t count, size_t size) {
    const struct Allocator* next = context;
    void* block = next->calloc(next->context, count, size);
    if (is_small(count * size)) acquired(block, count * size);
    return block;
}

// A large block stays with malloc, however small it becomes.
static void* counted_realloc(void* context, void* block, size_t size) {
    const struct Allocator* next = context;
    struct Block* found = NULL;
    enter();
    const bool was_small = block && find(block, &found);
    leave();
    void* moved = next->realloc(next->context, block, size);
    if (!moved) return NULL;
    if (was_small) released(block);
    if ((was_small || !block) && is_small(size)) acquired(moved, size);
    return moved;
}

static void counted_free(void* context, void* block) {
    const struct Allocator* next = context;
    if (block) released(block);
    next->free(next->context, block);
}

__attribute__((constructor)) static void start(void) {
    void (*get)(int, struct Allocator*) = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    void (*set)(int, struct Allocator*) = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    if (!get || !set) return;
    blocks = mmap(NULL, blocks_max * sizeof(struct Block), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    open_file();
    pthread_atfork(NULL, NULL, forked);
    for (int domain = 1; domain <= 2; ++domain) {
        get(domain, &underneath[domain]);
        struct Allocator counted = {&underneath[domain], counted_malloc, counted_calloc,
                                    counted_realloc, counted_free};
        set(domain, &counted);
    }
}
