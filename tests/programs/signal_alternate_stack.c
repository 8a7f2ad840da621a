// truth: allocations=201 frees=200 bytes=200*40+24 leaked_blocks=1 leaked_bytes=24
// Handlers on an alternate stack allocate: the stack jumps to other memory and back.
#include "support.h"

static void* kept;
static void* volatile block;
static char other_stack[65536];

static void handle(int signal_number) {
    (void)signal_number;
    block = malloc(40);
}

int main(void) {
    const stack_t alternate = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    CHECK(sigaltstack(&alternate, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 200; ++i) {
        CHECK(raise(SIGUSR1) == 0);  // not inside malloc, so the handler may use it
        free(block);
    }
    kept = malloc(24);
    return 0;
}
