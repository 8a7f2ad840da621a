// SPDX-License-Identifier: Apache-2.0
//
// The oracle: a second, independent count of everything that a process takes from the heap.
//
//   LD_PRELOAD="libmemtrace.so liboracle.so" ORACLE_OUTPUT=/tmp/o ./program
//
// It stands behind memtrace, shares no code with it, and has no stacks. It counts how many blocks
// were acquired and released, their bytes, and which are alive. Counters live in a file that is
// mapped MAP_SHARED, <ORACLE_OUTPUT>.<pid>.<n>, so they survive any death of the process.
//
// It keeps two counts. "all" is the whole process. "own" is what the program's own code requested:
// calls that came straight from the executable or from a library in a folder named `programs`, or
// from operator new on their behalf. "own" only has a meaning where the oracle is first in line.
//
// A resize counts as one release and one acquisition. Blocks from before a fork are "inherited".
//
// No locks, no heap of its own: the table of live blocks is open addressing with compare-and-swap.
// An address enters it after the allocator handed it out and leaves before it goes back, so no two
// threads ever compete for the same key.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void* __libc_valloc(size_t);
extern void* __libc_pvalloc(size_t);
extern void __libc_free(void*);

// The content of the file: three rows of these, read by tests/e2e/oracle.py.
struct Counts {
    _Atomic uint64_t acquired, released, bytes, live_blocks, live_bytes;
};
struct File {
    char magic[8];  // "ORACLE1"
    uint64_t pid, forked;
    struct Counts all, own;
    _Atomic uint64_t inherited_released, unknown_released;
};

struct Block {
    _Atomic uintptr_t address;  // 0: never used, 1: removed
    _Atomic size_t size;
    _Atomic uint32_t mark;  // generation * 2 + own
};

enum { blocks_max = 1 << 22 };
static struct Block* blocks;
static struct File nowhere;  // counts go here while there is no file
static struct File* file = &nowhere;
static uint32_t generation;
static _Atomic int started;  // 0 no, 1 under way, 2 done
static uintptr_t program_begin, program_end;
static uintptr_t operators[2];  // where operator new begins, or 0

static void open_file(void) {
    const char* base = environ ? getenv("ORACLE_OUTPUT") : NULL;
    file = &nowhere;
    if (!base) return;
    char path[600];
    int fd = -1;
    for (int n = 0; fd < 0 && n < 100; ++n) {
        snprintf(path, sizeof path, "%s.%d.%d", base, (int)getpid(), n);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    if (fd < 0) return;
    if (ftruncate(fd, sizeof(struct File)) == 0) {
        void* page = mmap(NULL, sizeof(struct File), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (page != MAP_FAILED) file = page;
    }
    close(fd);
    file->pid = (uint64_t)getpid();
    file->forked = generation;
    memcpy(file->magic, "ORACLE1", 8);
}

// The code of the executable: the object that contains its program headers' entry point.
static int note_program(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size;
    (void)data;
    const bool program = info->dlpi_name[0] == 0;  // the executable comes first, without a name
    for (int i = 0; program && i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)* part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            program_begin = info->dlpi_addr + part->p_vaddr;
            program_end = program_begin + part->p_memsz;
        }
    }
    return 1;
}

// operator new, where the program has one. Weak, because a lookup through the loader might
// allocate.
extern void* _Znwm(size_t) __attribute__((weak));
extern void* _ZnwmSt11align_val_t(size_t, size_t) __attribute__((weak));
enum { operator_new_bytes = 160 };

// A page that the kernel clears in forked children, also in those that daemon() or clone() makes. A
// vfork child shares this memory and counts as its parent.
static _Atomic int* same_process;

static void notice_fork(void) {
    if (!same_process || atomic_exchange(same_process, 1)) return;
    const int kept_errno = errno;
    ++generation;
    open_file();
    errno = kept_errno;
}

static void start(void) {
    int no = 0;
    notice_fork();
    if (!atomic_compare_exchange_strong(&started, &no, 1)) return;
    const int kept_errno = errno;
    blocks = mmap(NULL, blocks_max * sizeof(struct Block), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, 4096, MADV_WIPEONFORK) == 0) {
        same_process = page;
        atomic_store(same_process, 1);
    }
    open_file();
    dl_iterate_phdr(note_program, NULL);
    operators[0] = (uintptr_t)&_Znwm;
    operators[1] = (uintptr_t)&_ZnwmSt11align_val_t;
    atomic_store(&started, 2);
    errno = kept_errno;
}

static bool is_own(const void* caller) {
    const uintptr_t at = (uintptr_t)caller;
    if (at >= program_begin && at < program_end) return true;
    for (int i = 0; i < 2; ++i) {
        if (operators[i] && at - operators[i] < operator_new_bytes) return true;
    }
    struct dl_find_object found;
    if (_dl_find_object((void*)at, &found) != 0 || !found.dlfo_link_map) return false;
    return strstr(found.dlfo_link_map->l_name, "/programs/") != NULL;
}

static size_t home(uintptr_t address) { return (address >> 4) & (blocks_max - 1); }

static void remember(void* block, size_t size, uint32_t mark) {
    size_t at = home((uintptr_t)block);
    for (size_t tries = 0; tries < blocks_max; ++tries, at = (at + 1) & (blocks_max - 1)) {
        uintptr_t seen = atomic_load(&blocks[at].address);
        if (seen > 1) continue;
        if (!atomic_compare_exchange_strong(&blocks[at].address, &seen, (uintptr_t)block)) continue;
        atomic_store(&blocks[at].size, size);
        atomic_store(&blocks[at].mark, mark);
        return;
    }
}

static void* acquired(void* block, size_t size, const void* caller) {
    if (!block) return block;
    start();
    if (atomic_load(&started) != 2) return block;  // taken while starting: not the program's
    const int kept_errno = errno;
    const bool own = is_own(caller);
    errno = kept_errno;
    remember(block, size, generation * 2 + own);
    for (int i = 0; i <= own; ++i) {
        struct Counts* counts = i ? &file->own : &file->all;
        counts->acquired += 1;
        counts->bytes += size;
        counts->live_blocks += 1;
        counts->live_bytes += size;
    }
    return block;
}

struct Gone {
    bool known, own, inherited;
    size_t size;
    uint32_t mark;
};

static struct Gone take_out(void* block) {
    struct Gone gone = {0};
    notice_fork();
    if (!block || atomic_load(&started) != 2) return gone;
    size_t at = home((uintptr_t)block);
    for (size_t tries = 0; tries < blocks_max; ++tries, at = (at + 1) & (blocks_max - 1)) {
        const uintptr_t seen = atomic_load(&blocks[at].address);
        if (seen == 0) break;
        if (seen != (uintptr_t)block) continue;
        const uint32_t mark = atomic_load(&blocks[at].mark);
        gone = (struct Gone){true, mark & 1, mark / 2 != generation, atomic_load(&blocks[at].size),
                             mark};
        atomic_store(&blocks[at].address, 1);
        break;
    }
    return gone;
}

static void count_gone(struct Gone gone) {
    if (!gone.known) file->unknown_released += 1;
    if (gone.inherited) file->inherited_released += 1;
    if (!gone.known || gone.inherited) return;
    for (int i = 0; i <= gone.own; ++i) {
        struct Counts* counts = i ? &file->own : &file->all;
        counts->released += 1;
        counts->live_blocks -= 1;
        counts->live_bytes -= gone.size;
    }
}

static void* resized(void* block, size_t size, const void* caller) {
    const struct Gone gone = take_out(block);
    void* moved = __libc_realloc(block, size);
    if (!moved && size == 0) {  // glibc: realloc(p, 0) frees
        if (block) count_gone(gone);
        return NULL;
    }
    if (!moved) {  // failed: the block stays as it was
        if (gone.known) remember(block, gone.size, gone.mark);
        return NULL;
    }
    if (block) count_gone(gone);
    return acquired(moved, size, caller);
}

#define CALLER __builtin_return_address(0)
#define NEXT(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

void* malloc(size_t size) { return acquired(__libc_malloc(size), size, CALLER); }
void* calloc(size_t n, size_t size) { return acquired(__libc_calloc(n, size), n * size, CALLER); }
void* realloc(void* block, size_t size) { return resized(block, size, CALLER); }
void* memalign(size_t to, size_t size) { return acquired(__libc_memalign(to, size), size, CALLER); }
void* valloc(size_t size) { return acquired(__libc_valloc(size), size, CALLER); }
void* pvalloc(size_t size) { return acquired(__libc_pvalloc(size), size, CALLER); }

void* reallocarray(void* block, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return resized(block, bytes, CALLER);
}
void* aligned_alloc(size_t to, size_t size) {
    return acquired(NEXT(aligned_alloc)(to, size), size, CALLER);
}
int posix_memalign(void** out, size_t to, size_t size) {
    const int failed = NEXT(posix_memalign)(out, to, size);
    if (!failed) acquired(*out, size, CALLER);
    return failed;
}
void free(void* block) {
    if (block && atomic_load(&started) == 2) count_gone(take_out(block));
    __libc_free(block);
}

// Synonyms of free, new in C23 or long gone; a program may find them under memtrace.
void cfree(void* block) { free(block); }
void free_sized(void* block, size_t size) {
    (void)size;
    free(block);
}
void free_aligned_sized(void* block, size_t to, size_t size) {
    (void)to;
    (void)size;
    free(block);
}

__attribute__((constructor)) static void constructed(void) {
    start();
    if (file != &nowhere) return;
    open_file();  // The first calls were so early that there was no environment yet.
    if (file == &nowhere) return;
    file->all = nowhere.all;
    file->own = nowhere.own;
    file->inherited_released = nowhere.inherited_released;
    file->unknown_released = nowhere.unknown_released;
}
