// truth: allocations=3 frees=0 bytes=111+222+333 leaked_blocks=3 leaked_bytes=666
// Known functions call each other: names, file and lines are compared with the words `line:` below.
#include "support.h"

static void* kept[3];

__attribute__((noinline)) void innermost(int i, size_t size) {
    kept[i] = malloc(size);  // line: innermost
    __asm__ volatile("");
}
__attribute__((noinline)) void middle(int i, size_t size) {
    innermost(i, size);  // line: middle
    __asm__ volatile("");
}
__attribute__((noinline)) void outermost(void) {
    middle(0, 111);  // line: outermost 111
    middle(1, 222);  // line: outermost 222
    __asm__ volatile("");
}

int main(void) {
    outermost();     // line: main outermost
    middle(2, 333);  // line: main middle
    return 0;
}
