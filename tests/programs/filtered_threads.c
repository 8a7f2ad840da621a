// run: manual
// Four threads allocate in marked steps, and one thread frees what another one took. A thread names
// itself after its first allocations. tests/e2e/cases/ranges_and_filters.py counts what each of
// them took from the records of the dump.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "memtrace/memtrace.h"

enum { loaders = 2, steps = 14, batch = 50 };

static pthread_barrier_t barrier;
static void* batches[loaders][batch];
static void* log_lines[steps];

__attribute__((noinline)) void* load_batch(int loader, int i) {
    return malloc((size_t)(100 + 700 * loader + 13 * i));
}

__attribute__((noinline)) void* write_log(int step) { return malloc((size_t)(40 + step)); }

__attribute__((noinline)) void* build_model(size_t size) { return malloc(size); }

static void* load(void* number) {
    const int loader = *(int*)number;
    void* const before = load_batch(loader, 0);
    char name[16];
    snprintf(name, sizeof name, "loader-%d", loader);
    pthread_setname_np(pthread_self(), name);
    for (int step = 0; step < steps; ++step) {
        pthread_barrier_wait(&barrier);  // The step begins.
        for (int i = 0; i < batch; ++i) batches[loader][i] = load_batch(loader, i);
        pthread_barrier_wait(&barrier);  // The batch is there.
    }
    free(before);
    return NULL;
}

static void* write_lines(void* nothing) {
    pthread_setname_np(pthread_self(), "writer");
    for (int step = 0; step < steps; ++step) {
        pthread_barrier_wait(&barrier);
        log_lines[step] = write_log(step);
        pthread_barrier_wait(&barrier);
    }
    return nothing;
}

int main(void) {
    static char buffer[4096];
    static int numbers[loaders] = {0, 1};
    pthread_t threads[loaders], writer;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    pthread_barrier_init(&barrier, NULL, loaders + 2);
    MEMTRACE_BEGIN("build");
    void* const model = build_model(54321);
    void* const scratch = build_model(20000);
    MEMTRACE_END("build");
    for (int i = 0; i < loaders; ++i) pthread_create(&threads[i], NULL, load, &numbers[i]);
    pthread_create(&writer, NULL, write_lines, NULL);
    for (int step = 0; step < steps; ++step) {
        char name[16];
        snprintf(name, sizeof name, "step %d", step);
        MEMTRACE_BEGIN(name);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        // Another thread took them, and a few of each step stay.
        for (int loader = 0; loader < loaders; ++loader) {
            for (int i = step % 3; i < batch; ++i) free(batches[loader][i]);
        }
        if (step == 6) free(scratch);
        MEMTRACE_END(name);
        if (step == 9) MEMTRACE_MARK("saved");
    }
    for (int i = 0; i < loaders; ++i) pthread_join(threads[i], NULL);
    pthread_join(writer, NULL);
    for (int step = 0; step < steps; step += 2) free(log_lines[step]);
    free(model);
    puts("done");
    return 0;
}
