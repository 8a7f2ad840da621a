// truth: allocations=8*20000 frees=8*20000 bytes=8*20000*32 leaked_blocks=0 leaked_bytes=0
// run: scope=own
// Eight threads swap blocks through one shelf and realloc them, so addresses change hands all the
// time.
#include "support.h"

enum { shelf_size = 64, rounds = 10000 };
static void* shelf[shelf_size];

static void* swap(void* seed) {
    unsigned random = (unsigned)(uintptr_t)seed;
    for (int i = 0; i < rounds; ++i) {
        void* block = realloc(malloc(32), 32);  // counts twice
        CHECK(block != NULL);
        random = random * 1103515245u + 12345u;
        free(__atomic_exchange_n(&shelf[random / 65536 % shelf_size], block, __ATOMIC_ACQ_REL));
    }
    return NULL;
}

int main(void) {
    pthread_t threads[8];
    for (uintptr_t i = 0; i < 8; ++i) CHECK(pthread_create(&threads[i], NULL, swap, (void*)i) == 0);
    for (int i = 0; i < 8; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < shelf_size; ++i) free(shelf[i]);
    return 0;
}
