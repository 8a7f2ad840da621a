// truth: allocations=3 frees=0 bytes=100+200+300 leaked_blocks=3 leaked_bytes=600
// Failed aligned allocations count nothing and return what they always do: posix_memalign keeps
// errno and the pointer.
#include "support.h"

static void* kept[3];

int main(void) {
    volatile size_t odd = 24, tiny = 2, too_much = (size_t)PTRDIFF_MAX - 65536;
    void* untouched = (void*)&kept;
    errno = 1234;
    CHECK(posix_memalign(&untouched, odd, 100) == EINVAL && errno == 1234);
    CHECK(posix_memalign(&untouched, tiny, 100) == EINVAL && errno == 1234);
    CHECK(posix_memalign(&untouched, 64, too_much) == ENOMEM);
    CHECK(untouched == (void*)&kept);
    errno = 0;
    CHECK(aligned_alloc(64, too_much) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(memalign(64, too_much) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(valloc(too_much) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(pvalloc(too_much) == NULL && errno == ENOMEM);

    CHECK(posix_memalign(&kept[0], 4096, 100) == 0 && (uintptr_t)kept[0] % 4096 == 0);
    CHECK((kept[1] = aligned_alloc(256, 200)) != NULL && (uintptr_t)kept[1] % 256 == 0);
    CHECK((kept[2] = memalign(1 << 20, 300)) != NULL && (uintptr_t)kept[2] % (1 << 20) == 0);
    return 0;
}
