// run: manual
// libraries=lib_delete_is_free
// Frees by an operator delete that is at the same address as the allocator's free().
#include "support.h"

void _ZdlPv(void* block);

int main(void) {
    for (int i = 0; i < 1000; ++i) free(malloc(100));
    _ZdlPv(malloc(100));
    return 0;
}
