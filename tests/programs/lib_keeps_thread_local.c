// A library whose thread-local memory the loader takes from the heap when a thread first uses it.
#include <stdlib.h>

static __thread int table[5000];
static __thread void* lost;

int first_of_table(void) { return table[0]++; }

void lose_in_thread_local(void) {
    lost = malloc(88);
    lost = NULL;
}
