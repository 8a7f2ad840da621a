// truth: allocations=100000*13 frees=100000*13 bytes=100000*13*48 leaked_blocks=0 leaked_bytes=0
// run: scope=own
// The first thread works alone nearly all the time, and its stamps need no fence
// (preload/recording/stamp_order.h). Now and then it frees a block that another thread has only
// just allocated. The order of the two must show all the same.
#include "support.h"

enum { rounds = 100000, own_work = 12 };
static _Alignas(64) void* handed_over;

static void* allocate(void) {
    void* block = malloc(48);
    CHECK(block != NULL);
    return block;
}

static void* other(void* nothing) {
    for (int i = 0; i < rounds; ++i) {
        while (__atomic_load_n(&handed_over, __ATOMIC_RELAXED) != NULL) continue;
        __atomic_store_n(&handed_over, allocate(), __ATOMIC_RELEASE);
    }
    return nothing;
}

int main(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
    int left = rounds * own_work;
    for (int taken = 0; taken < rounds || left > 0;) {
        for (int k = 0; k < own_work + (taken & 7) - 3 && left > 0; ++k, --left) free(allocate());
        void* block = __atomic_load_n(&handed_over, __ATOMIC_ACQUIRE);
        if (block == NULL) continue;
        free(block);
        ++taken;
        __atomic_store_n(&handed_over, NULL, __ATOMIC_RELEASE);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
