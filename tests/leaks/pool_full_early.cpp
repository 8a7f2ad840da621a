// SPDX-License-Identifier: Apache-2.0
// truth: quiet=dial
// A pool that is full after a sixth of the run; after that only the end allocates anything.
#include "leaks.h"

struct Connection {
    Connection* next;
    char buffer[4096];
};
static Connection* pool;
static long step_count;

PLACE static void dial(void) {
    Connection* const made = (Connection*)malloc(sizeof(Connection));
    made->next = pool;
    pool = made;
}

static void serve(long step) {
    if (step < step_count / 6) dial();
    for (Connection* one = pool; one; one = one->next) one->buffer[step % 4096] += 1;
}

int main() {
    step_count = 600;
    run_steps(step_count, serve);
    free(strdup("what came out of it"));
}
