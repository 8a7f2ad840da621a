// truth: allocations=1000000 frees=999990 bytes=-1 leaked_blocks=10 leaked_bytes=-1
// Two million events of all sizes, far more than a ring holds: none is lost. Count: argv[1] or
// 1000000.
#include "support.h"

static void* slots[1000];

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000000;
    unsigned random = 1;
    for (int i = 0; i < rounds; ++i) {
        random = random * 1103515245u + 12345u;
        void** slot = &slots[random / 65536 % 1000];
        free(*slot);
        CHECK((*slot = malloc(random / 4096 % 3000)) != NULL);
    }
    for (int i = 0; i < 990; ++i) free(slots[i]);
    return 0;
}
