/* SPDX-License-Identifier: Apache-2.0
 *
 * What the compiler's and the distribution's static archives call, and glibc 2.28 does not have.
 * Programs for old systems (MEMTRACE_GLIBC) are linked with these instead. All are hidden, so no
 * other object of the process sees them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* libstdc++ asks whether it may count references without atomics. 0: never. Since 2.32. */
HIDDEN char __libc_single_threaded = 0;

/* Since 2.30. */
HIDDEN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

/* libstdc++'s random_device. Since 2.36. */
HIDDEN uint32_t arc4random(void) {
    uint32_t number = 0;
    while (getrandom(&number, sizeof number, 0) != sizeof number) continue;
    return number;
}

/* libevent's. It answers no question that has to be secret. Since 2.36. */
HIDDEN void arc4random_buf(void* bytes, size_t count) {
    char* next = bytes;
    while (count > 0) {
        const ssize_t got = getrandom(next, count, 0);
        if (got <= 0) continue;
        next += got;
        count -= (size_t)got;
    }
}

struct search {
    uintptr_t address;
    struct dl_find_object* found;
};

static int look_at_object(struct dl_phdr_info* object, size_t size, void* context) {
    struct search* search = context;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    void* unwind_header = NULL;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* header = &object->dlpi_phdr[i];
        const uintptr_t place = object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_EH_FRAME) unwind_header = (void*)place;
        if (header->p_type != PT_LOAD) continue;
        if (place < begin) begin = place;
        if (place + header->p_memsz > end) end = place + header->p_memsz;
    }
    if (search->address < begin || search->address >= end) return 0;
    search->found->dlfo_flags = 0;
    search->found->dlfo_map_start = (void*)begin;
    search->found->dlfo_map_end = (void*)end;
    search->found->dlfo_link_map = NULL;
    search->found->dlfo_eh_frame = unwind_header;
    return 1;
}

/* libgcc's unwinder, for exceptions. Since 2.35. */
HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
    struct search search = {(uintptr_t)address, found};
    return dl_iterate_phdr(look_at_object, &search) == 1 && found->dlfo_eh_frame != NULL ? 0 : -1;
}
