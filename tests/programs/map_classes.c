// truth mmap: allocations=4 frees=0 bytes=15*4096 leaked_blocks=4 leaked_bytes=15*4096
// One mapping of each class: anonymous 1 page, file 2, shared 4, reserved 8.
#include "support.h"

int main(void) {
    char path[] = "/tmp/map_classes_XXXXXX";
    const int file = mkstemp(path), rw = PROT_READ | PROT_WRITE;
    CHECK(file >= 0 && unlink(path) == 0 && ftruncate(file, 4 * 4096) == 0);
    CHECK(mmap(NULL, 4096, rw, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    CHECK(mmap(NULL, 2 * 4096, rw, MAP_PRIVATE, file, 0) != MAP_FAILED);
    CHECK(mmap(NULL, 4 * 4096, rw, MAP_SHARED, file, 0) != MAP_FAILED);
    CHECK(mmap(NULL, 8 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    return 0;
}
