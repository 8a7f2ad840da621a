// SPDX-License-Identifier: Apache-2.0
// truth: leak=grow_arena
// Small objects come from an arena that never takes any back, so it grows by a chunk now and then.
#include "leaks.h"
static char *next, *end;
PLACE static void grow_arena() {
    next = static_cast<char*>(malloc(64 << 10));
    end = next + (64 << 10);
}
static void* from_arena(size_t bytes) {
    if (end - next < (long)bytes) grow_arena();
    char* const place = next;
    next += bytes;
    return memset(place, 1, bytes);
}

static void step(long) {
    work(10);
    from_arena(500);
}

int main() { run_steps(6000, step); }
