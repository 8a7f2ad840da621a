/* SPDX-License-Identifier: Apache-2.0
 * run: manual
 *
 * Does in seconds what a server does in weeks: one kind of thing, again and again.
 *
 *     goes_on_for_weeks threads 100000
 *
 * Prints how many blocks it acquired, and how many of them are left.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memtrace/memtrace.h"

static unsigned long acquired, left;
static char folder[4000];

static void take_and_give(void) {
    void* const block = malloc(100);
    *(volatile char*)block = 1;
    free(block);
    ++acquired;
}

static void take_a_block(unsigned long round) {
    (void)round;
    take_and_give();
}

static void* serve(void* number) {
    char name[16];
    snprintf(name, sizeof name, "worker-%lu", (unsigned long)(uintptr_t)number);
    pthread_setname_np(pthread_self(), name);
    take_and_give();
    return NULL;
}

static void start_a_thread(unsigned long round) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, (void*)(uintptr_t)round) != 0) exit(3);
    pthread_join(thread, NULL);
}

static void* serve_in_a_range(void* unused) {
    MEMTRACE_BEGIN("request that is never ended");
    take_and_give();
    return unused;
}

static void start_a_thread_with_a_range(unsigned long round) {
    pthread_t thread;
    (void)round;
    if (pthread_create(&thread, NULL, serve_in_a_range, NULL) != 0) exit(3);
    pthread_join(thread, NULL);
}

static void load_a_library(unsigned long round) {
    (void)round;
    char path[4096];
    snprintf(path, sizeof path, "%s/lib_plugin_a.so", folder);
    void* const library = dlopen(path, RTLD_NOW);
    if (library == NULL) exit(4);
    void* (*make)(void) = (void* (*)(void))dlsym(library, "plugin_block");
    free(make());
    dlclose(library);
    acquired += 3;
    ++left;
}

static void mark_a_step(unsigned long round) {
    char text[64];
    snprintf(text, sizeof text, "request %lu of client %lu", round, round * 7919 % 1000003);
    MEMTRACE_MARK(text);
    take_and_give();
}

static void pass_a_phase(unsigned long round) {
    char text[64];
    snprintf(text, sizeof text, "request %lu", round);
    MEMTRACE_BEGIN(text);
    take_and_give();
    MEMTRACE_END(text);
}

/* Names without numbers, as keys of sessions are. */
static void pass_a_phase_of_its_own(unsigned long round) {
    char text[16] = "session ";
    for (int i = 8; i < 15; ++i, round /= 20) text[i] = (char)('a' + round % 20);
    text[15] = 0;
    MEMTRACE_BEGIN(text);
    take_and_give();
    MEMTRACE_END(text);
}

static void begin_a_range(unsigned long round) {
    char text[64];
    snprintf(text, sizeof text, "range %lu", round);
    MEMTRACE_BEGIN(text);
    take_and_give();
}

static void map_and_unmap(unsigned long round) {
    const size_t bytes = 4096 * (1 + round % 7);
    void* const pages = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages, bytes);
    take_and_give();
}

static void rename_a_thread(unsigned long round) {
    char name[16];
    snprintf(name, sizeof name, "at-%lu", round);
    pthread_setname_np(pthread_self(), name);
    take_and_give();
}

static const struct {
    const char* name;
    void (*once)(unsigned long round);
} kinds[] = {{"blocks", take_a_block},
             {"threads", start_a_thread},
             {"threads_with_ranges", start_a_thread_with_a_range},
             {"libraries", load_a_library},
             {"marks", mark_a_step},
             {"phases", pass_a_phase},
             {"sessions", pass_a_phase_of_its_own},
             {"ranges", begin_a_range},
             {"mappings", map_and_unmap},
             {"names", rename_a_thread}};

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const char* const slash = strrchr(argv[0], '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - argv[0]), argv[0]);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        if (strcmp(argv[1], kinds[kind].name) != 0) continue;
        const unsigned long rounds = strtoul(argv[2], NULL, 10);
        for (unsigned long round = 0; round < rounds; ++round) kinds[kind].once(round);
        printf("%lu %lu\n", acquired, left);
        return 0;
    }
    return 2;
}
