// truth: oracle
// run: manual
// Collects three blocks, which an exit handler frees: after main() has returned, after exit() in
// main(), or in another thread. Or it ends by _exit(), without any handler.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* blocks[3];

static void collect(void) {
    for (int i = 0; i < 3; ++i) blocks[i] = malloc(1000);
}

static void tidy_up(void) {
    for (int i = 0; i < 3; ++i) free(blocks[i]);
}

static void* end(void* unused) { exit(0); }

int main(int count, char** words) {
    const char* how = count > 1 ? words[1] : "returns";
    atexit(tidy_up);
    collect();
    if (strcmp(how, "exits") == 0) exit(0);
    if (strcmp(how, "leaves") == 0) _exit(0);
    if (strcmp(how, "exits_in_a_thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, end, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
