/* SPDX-License-Identifier: Apache-2.0
 * run: manual
 *
 * A thread allocates a little, in functions that another thread calls again and again afterwards,
 * and does nothing more. Then the program is killed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { rounds = 300000 };

static pthread_barrier_t has_begun;
static void* volatile last;

__attribute__((noinline)) static void make(void) {
    last = malloc(100);
    free(last);
}
__attribute__((noinline)) static void serve(void) {
    make();
    __asm__ volatile("");
}

static void* work(void* count) {
    for (int i = 0; i < *(const int*)count; ++i) serve();
    pthread_barrier_wait(&has_begun);
    if (*(const int*)count == rounds) kill(getpid(), SIGKILL);
    pause();
    return NULL;
}

int main(void) {
    static int few = 2, many = rounds;
    pthread_t first, second;
    pthread_barrier_init(&has_begun, NULL, 2);
    pthread_create(&first, NULL, work, &few);
    pthread_barrier_wait(&has_begun);
    pthread_barrier_destroy(&has_begun);
    pthread_barrier_init(&has_begun, NULL, 1);
    pthread_create(&second, NULL, work, &many);
    pthread_join(second, NULL);
    return 0;
}
