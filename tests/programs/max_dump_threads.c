/* SPDX-License-Identifier: Apache-2.0
 * run: manual
 *
 * More threads at a time than rings have room in a small dump. Each takes and gives back blocks.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 100, rounds = 20000 };

static pthread_barrier_t all_are_done;

static void* work(void* unused) {
    for (int round = 0; round < rounds; ++round) {
        char* const block = malloc(100);
        *(volatile char*)block = 1;
        free(block);
    }
    pthread_barrier_wait(&all_are_done);
    return unused;
}

int main(void) {
    pthread_t all[threads];
    pthread_barrier_init(&all_are_done, NULL, threads);
    for (int i = 0; i < threads; ++i) pthread_create(&all[i], NULL, work, NULL);
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    puts("done");
    return 0;
}
