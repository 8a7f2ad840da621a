// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// Puts its own file under every number that a descriptor can have, again and again, while another
// thread allocates. Code that still believes that a number is its own would write into that file.
#include "support.h"

static int done;

// Linux refuses a number with EBUSY while another thread is in the midst of opening a file under
// it, as the shim is at times.
static int put_under(int file, int number) {
    int result;
    do {
        result = dup2(file, number);
    } while (result == -1 && errno == EBUSY);
    return result;
}

static void* allocate(void* unused) {
    (void)unused;
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 1000; ++i) free(malloc(24 + (size_t)i));
    }
    return NULL;
}

int main(void) {
    char path[] = "/tmp/takes_every_descriptor_XXXXXX";
    const int own = mkstemp(path);
    CHECK(own >= 0 && unlink(path) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, allocate, NULL) == 0);
    for (int round = 0; round < 40; ++round) {
        for (int fd = 3; fd < 4200; ++fd) {
            if (fd == own) continue;
            if (round % 2 == 0) CHECK(put_under(own, fd) == fd);
            else close(fd);
        }
        if (round % 4 == 3) close_range((unsigned)own + 1, 4300, 0);
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(lseek(own, 0, SEEK_END) == 0);
    // What is not open cannot be closed or copied, whatever lies under the number.
    for (int fd = 3; fd < 4200; ++fd) {
        if (fd != own) CHECK(close(fd) == -1 && errno == EBADF);
    }
    say("nobody wrote into my file\n");
    return 0;
}
