// SPDX-License-Identifier: Apache-2.0
//
// C between Python and Python: bounce() calls back, on this thread or on its own thread, which is
// unknown to Python. truth_check recognises this library's frames by its name.
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*Callback)(void);

__attribute__((noinline)) void bounce(Callback callback) {
    callback();
    __asm__ volatile("");  // The call is not a tail call, so this frame stays.
}

static void* run(void* callback) {
    bounce((Callback)callback);
    return NULL;
}

int bounce_on_thread(Callback callback) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void*)callback) != 0) return 1;
    return pthread_join(thread, NULL);
}

void hammer(size_t size, size_t rounds) {
    for (size_t i = 0; i < rounds; ++i) free(memalign(64, size));
}

void leave(void) { _exit(0); }

static void* allocate(void* size) {
    free(memalign(64, (size_t)size));
    return NULL;
}

int allocate_on_thread(size_t size) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, allocate, (void*)size) != 0) return 1;
    return pthread_join(thread, NULL);
}
