/* SPDX-License-Identifier: Apache-2.0
 *
 * many_live_blocks COUNT: COUNT blocks of 32 bytes from four lines, all alive at the end.
 * run: manual (it has no truth of its own; e2e/cases/memory_of_the_reporter.py runs it) */
#include <stdio.h>
#include <stdlib.h>

static void** newest;

static void keep(void** block) {
    *block = newest;
    newest = block;
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 1000000;
    for (long i = 0; i < count; i += 4) {
        keep(malloc(32));
        keep(calloc(1, 32));
        keep(malloc(32));
        keep(realloc(NULL, 32));
    }
    printf("%ld\n", count);
    return 0;
}
