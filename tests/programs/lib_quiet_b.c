// Like a, except that its malloc returns to another address.
#include "support.h"

void* quiet_b_block(void) {
    char word[16];
    strcpy(word, getpid() == 0 ? "nobody" : "somebody");
    void* block = malloc(72 + strlen(word));
    memset(block, 1, 80);
    return block;
}
