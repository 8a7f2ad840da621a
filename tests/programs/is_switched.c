// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// A program that its test drives, while somebody switches its recording on and off. For a line on
// standard input, each of its threads does so much, and then "BLOCKS BYTES" is printed: what all
// threads acquired or released because of this line, by their own count.
//
//   acquire N   N blocks, which are kept in the order in which they came
//   release N   the N oldest of these
//   resize N    the N oldest get new sizes, and stay the oldest
//   churn N     N blocks that are released at once
//   fork 0      prints the pid of a child that acquires blocks until its pipe ends, and lives on
#include "support.h"

#include <stdio.h>

enum { threads = 3, blocks_max = 1 << 16 };

static struct worker {
    pthread_t thread;
    unsigned number;
    void* blocks[blocks_max];
    size_t sizes[blocks_max];
    unsigned first, end;  // [first, end) are kept
    long done_blocks, done_bytes;
} workers[threads];

static pthread_barrier_t begin, end;
static char order;  // the first letter of the line
static long amount;

static size_t next_size(struct worker* self, unsigned number) {
    return 16 + (self->number * 1000 + number * 7) % 900;
}

__attribute__((noinline)) static void* acquire_one(size_t size) { return malloc(size); }

__attribute__((noinline)) static void churn_one(void) {
    void* block = malloc(300);
    CHECK(block != NULL);
    free(block);
}

__attribute__((noinline)) static void* resize_one(void* block, size_t size) {
    return realloc(block, size);
}

static void count(struct worker* self, size_t size) {
    self->done_blocks += 1;
    self->done_bytes += (long)size;
}

static void do_one(struct worker* self, unsigned i) {
    if (order == 'a') {
        const size_t size = next_size(self, self->end);
        CHECK(self->end < blocks_max);
        CHECK((self->blocks[self->end] = acquire_one(size)) != NULL);
        self->sizes[self->end++] = size;
        count(self, size);
    } else if (order == 'r' && self->first < self->end) {
        count(self, self->sizes[self->first]);
        free(self->blocks[self->first++]);
    } else if (order == 's' && self->first + i < self->end) {
        const unsigned place = self->first + i;
        self->sizes[place] = next_size(self, place) + 1000;
        CHECK((self->blocks[place] = resize_one(self->blocks[place], self->sizes[place])) != NULL);
        count(self, self->sizes[place]);
    } else if (order == 'c') {
        churn_one();
        count(self, 300);
    }
}

static void* work(void* given) {
    struct worker* self = given;
    for (;;) {
        pthread_barrier_wait(&begin);
        if (order == 'e') return NULL;
        self->done_blocks = self->done_bytes = 0;
        for (long i = 0; i < amount; ++i) do_one(self, (unsigned)i);
        pthread_barrier_wait(&end);
    }
}

static void be_a_child(int pipe_end) {
    char ended;
    CHECK(fcntl(pipe_end, F_SETFL, O_NONBLOCK) == 0);
    while (read(pipe_end, &ended, 1) != 0) {
        CHECK(acquire_one(1000) != NULL);
        usleep(2000);
    }
    _exit(0);
}

static pid_t make_child(void) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(ends[1]);
        be_a_child(ends[0]);
    }
    close(ends[0]);
    return child;
}

int main(void) {
    pthread_barrier_init(&begin, NULL, threads + 1);
    pthread_barrier_init(&end, NULL, threads + 1);
    for (unsigned i = 0; i < threads; ++i) {
        workers[i].number = i + 1;
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    say("ready\n");
    char line[64], text[64];
    for (;;) {
        const ssize_t length = read(0, line, sizeof line - 1);
        if (length <= 0) break;
        line[length] = 0;
        const char* space = strchr(line, ' ');
        CHECK(space != NULL);
        // "resize" and "release" begin with the same letter.
        order = strncmp(line, "resize", 6) == 0 ? 's' : line[0];
        amount = atol(space);
        long blocks = 0, bytes = 0;
        if (order == 'f') {
            blocks = make_child();
        } else {
            pthread_barrier_wait(&begin);
            pthread_barrier_wait(&end);
        }
        for (int i = 0; i < threads && order != 'f'; ++i) {
            blocks += workers[i].done_blocks;
            bytes += workers[i].done_bytes;
        }
        snprintf(text, sizeof text, "%ld %ld\n", blocks, bytes);
        say(text);
    }
    order = 'e';
    pthread_barrier_wait(&begin);
    for (int i = 0; i < threads; ++i) pthread_join(workers[i].thread, NULL);
    return 0;
}
