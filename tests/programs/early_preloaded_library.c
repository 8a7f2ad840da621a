// truth: allocations=5 frees=3 bytes=1000+102400+204800+10+8 leaked_blocks=2 leaked_bytes=1008
// run: before=lib_early_preloaded
// Another preloaded library that stands in front of memtrace and starts before it. It never
// cleans up.
#include "support.h"

int main(void) {
    CHECK(malloc(8) != NULL);
    return 0;
}
