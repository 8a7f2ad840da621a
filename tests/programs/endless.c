// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// Allocates and keeps argv[1] bytes in blocks of 1000, then prints so and waits for its end.
#include "support.h"

int main(int argc, char** argv) {
    const long wanted = argc > 1 ? atol(argv[1]) : 100000;
    for (long taken = 0; taken < wanted; taken += 1000) CHECK(malloc(1000) != NULL);
    say("ready\n");
    for (;;) pause();
}
