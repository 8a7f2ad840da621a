// A library that uses the heap only where it is called.
#include "support.h"

void* quiet_a_block(void) {
    void* block = malloc(70);
    memset(block, 1, 70);
    return block;
}
