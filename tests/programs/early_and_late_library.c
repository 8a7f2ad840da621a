// truth: allocations=8 frees=6 bytes=308397 leaked_blocks=2 leaked_bytes=104
// run: libraries=lib_early
// Blocks of a library's constructor, which runs before memtrace's own, and of its destructor.
#include "support.h"

extern void* early_kept;

// The executable's very first code: before any constructor, before libc has an environment.
static void before_all(void) { free(malloc(50)); }
__attribute__((section(".preinit_array"), used)) static void (*first)(void) = before_all;

int main(void) {
    free(early_kept);
    CHECK((early_kept = malloc(60)) != NULL);
    say("main ran\n");
    return 0;
}
