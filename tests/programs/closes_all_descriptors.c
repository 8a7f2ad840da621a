// truth: allocations=300001 frees=300000 bytes=300001*24 leaked_blocks=1 leaked_bytes=24
// Closes every descriptor that it did not open, then opens files that take their numbers.
#include "support.h"

static void* kept;

int main(void) {
    for (int i = 0; i < 1000; ++i) free(malloc(24));
    say("closing\n");
    const int output = dup(1);
    for (int fd = 3; fd < 20000; ++fd) {
        if (fd != output) close(fd);
    }
    // Code that still believes that a descriptor is its own would write into this file.
    int files[64];
    char path[] = "/tmp/closes_all_descriptors_XXXXXX";
    CHECK((files[0] = mkstemp(path)) >= 0 && unlink(path) == 0);
    for (int i = 1; i < 64; ++i) CHECK((files[i] = dup(files[0])) >= 0);
    for (int i = 0; i < 299000; ++i) free(malloc(24));
    kept = malloc(24);
    CHECK(lseek(files[0], 0, SEEK_END) == 0);
    say("nobody wrote into my file\n");
    return 0;
}
