// truth: allocations=10*5 frees=10*4 bytes=10*(10+20+30+400+50) leaked_blocks=10 leaked_bytes=10*50
// run: scope=own
// Blocks that come and go in destructors of dying threads: thread_local, and a pthread key, in two
// rounds.
#include "support.h"

static pthread_key_t key;

struct Local {
    void* block = malloc(10);
    ~Local() {
        free(block);
        free(malloc(20));
    }
};
static thread_local Local local;

// The first round sets the key again, so a second one follows, later than most of libc's own.
static void destroy(void* value) {
    const bool second_round = malloc_usable_size(value) >= 400;
    free(value);
    static void* volatile leaked;
    if (second_round) leaked = malloc(50);
    else CHECK(pthread_setspecific(key, malloc(400)) == 0);
}

static void* thread(void*) {
    CHECK(local.block != nullptr);
    CHECK(pthread_setspecific(key, malloc(30)) == 0);
    return nullptr;
}

int main() {
    CHECK(pthread_key_create(&key, destroy) == 0);
    for (int i = 0; i < 10; ++i) {
        pthread_t id;
        CHECK(pthread_create(&id, nullptr, thread, nullptr) == 0);
        CHECK(pthread_join(id, nullptr) == 0);
    }
    say("done\n");
    return 0;
}
