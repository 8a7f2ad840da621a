// truth: allocations=5 frees=3 bytes=11*1073741824 leaked_blocks=2 leaked_bytes=5368709120
// Sizes at both ends: zero, more than 4 GiB (never touched), and more than there is.
#include "support.h"

static void* kept[2];

int main(void) {
    volatile size_t zero = 0, too_much = SIZE_MAX / 2 + 1;
    volatile size_t five_gib = 5ull << 30, six_gib = 6ull << 30;
    free(malloc(zero));
    free(calloc(zero, 10));
    CHECK((kept[0] = malloc(zero)) != NULL);
    errno = 0;
    CHECK(malloc(too_much) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(1, too_much) == NULL && errno == ENOMEM);
    if (!(kept[1] = malloc(five_gib))) skip("this machine does not promise 5 GiB");
    void* more = calloc(1, six_gib);
    if (!more) skip("this machine does not promise 6 GiB more");
    free(more);
    return 0;
}
