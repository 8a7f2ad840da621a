/* SPDX-License-Identifier: Apache-2.0
 * run: manual
 *
 * Three threads resize blocks of ever other sizes, and one takes and gives blocks of these sizes,
 * until the program is killed (argument `kill`) or exits (argument `exit`), which cuts off what the
 * threads were doing.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* resize(void* argument) {
    unsigned seed = (unsigned)(size_t)argument;
    void* block = malloc(100);
    for (;;) block = realloc(block, 2000 + (size_t)rand_r(&seed) % 100000);
    return NULL;
}

static void* take(void* argument) {
    unsigned seed = (unsigned)(size_t)argument;
    void* blocks[16] = {0};
    for (unsigned i = 0;; i = (i + 1) % 16) {
        free(blocks[i]);
        blocks[i] = malloc(2000 + (size_t)rand_r(&seed) % 100000);
    }
    return NULL;
}

int main(int argc, char** argv) {
    pthread_t thread;
    for (size_t i = 1; i <= 3; ++i) pthread_create(&thread, NULL, resize, (void*)i);
    pthread_create(&thread, NULL, take, (void*)(size_t)4);
    usleep(60000);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) _exit(0);
    kill(getpid(), SIGKILL);
    return 1;
}
