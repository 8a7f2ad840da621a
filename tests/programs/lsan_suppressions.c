// truth: allocations=2 frees=0 bytes=333 leaked_blocks=2 leaked_bytes=333
// Two blocks are lost, and the program itself accepts one of them, by the function of
// LeakSanitizer's interface. Its text is longer than a record, and is made in the heap when
// somebody asks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALONE __attribute__((noinline, noclone))

enum { lines = 600, line_bytes = 20 };

static char* text;

const char* __lsan_default_suppressions(void) {
    text = malloc(lines * line_bytes + 64);
    char* next = text;
    for (int i = 0; i < lines; ++i) next += sprintf(next, "leak:nobody_%04d\n", i);
    strcpy(next, "leak:accepted_leak");
    return text;
}

static ALONE void accepted_leak(void) {
    volatile char* gone = malloc(111);
    gone[0] = 1;
    gone = NULL;
}

static ALONE void forgotten_leak(void) {
    volatile char* gone = malloc(222);
    gone[0] = 1;
    gone = NULL;
}

static ALONE void wipe_stack(void) {
    volatile char bytes[16384];
    memset((char*)bytes, 0, sizeof bytes);
}

int main(void) {
    accepted_leak();
    forgotten_leak();
    wipe_stack();
    return 0;
}
