// truth: allocations=5000 frees=4999 bytes=5000*48 leaked_blocks=1 leaked_bytes=48
// run: scope=own
// One thread allocates, another frees: this is no leak, and no anomaly, however the two overtake
// each other.
#include "support.h"

static void* handed;

static void* consume(void* nothing) {
    for (int i = 0; i < 4999; ++i) {
        void* block;
        while (!(block = __atomic_exchange_n(&handed, NULL, __ATOMIC_ACQ_REL))) sched_yield();
        free(block);
    }
    return nothing;
}

int main(void) {
    pthread_t consumer;
    CHECK(pthread_create(&consumer, NULL, consume, NULL) == 0);
    for (int i = 0; i < 4999; ++i) {
        void* block = malloc(48);
        CHECK(block != NULL);
        void* nothing = NULL;
        while (!__atomic_compare_exchange_n(&handed, &nothing, block, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED)) {
            nothing = NULL;
            sched_yield();
        }
    }
    CHECK(pthread_join(consumer, NULL) == 0);
    CHECK(malloc(48) != NULL);
    return 0;
}
