// truth: allocations=6 frees=3 bytes=1+2+3+4+5+6 leaked_blocks=3 leaked_bytes=2+4+6
// Blocks of atexit and on_exit handlers and of destructors, the last code of the program, count
// too.
#include "support.h"

static void* from_main;
static void* kept[3];

static void at_exit(void) {
    free(from_main);
    kept[0] = malloc(2);
}
static void on_exit_too(int status, void* nothing) {
    (void)status;
    (void)nothing;
    free(malloc(3));
    kept[1] = malloc(4);
}
__attribute__((destructor(101))) static void last(void) {
    free(malloc(5));
    kept[2] = malloc(6);
    say("last destructor ran\n");
}

int main(void) {
    from_main = malloc(1);
    CHECK(atexit(at_exit) == 0 && on_exit(on_exit_too, NULL) == 0);
    return 0;
}
