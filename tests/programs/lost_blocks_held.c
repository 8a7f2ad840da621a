// run: manual
// Blocks that are held in places where a search could overlook them, and sixty that are lost:
//
//   lost_blocks_held MODE [FILE]
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))
#define HELD 50
#define LOST 60
#define STACK_BYTES (256 << 10)
#define COROUTINE_BYTES (64 << 10)

static void* volatile hand[HELD];
static volatile int ready;

// Covers what the calls before it have left on the stack.
static ALONE void wipe_stack(void) {
    volatile char bytes[32768];
    memset((char*)bytes, 0, sizeof bytes);
}

static ALONE void lose(void) {
    for (int i = 0; i < LOST; ++i) {
        volatile char* gone = malloc(77);
        gone[0] = 1;
        gone = NULL;
    }
}

static ALONE void fill(void* volatile* place) {
    for (int i = 0; i < HELD; ++i) place[i] = calloc(1, 1000);
}

static ALONE void end(void) {
    wipe_stack();
    exit(0);
}

// ---- stacks of threads -------------------------------------------------------------------------

static void* allocates(void* unused) {
    (void)unused;
    free(malloc(500));
    return NULL;
}

// Holds blocks on its stack, without ever calling a function of the heap.
static void* takes_over(void* unused) {
    (void)unused;
    void* volatile mine[HELD];
    for (int i = 0; i < HELD; ++i) {
        mine[i] = hand[i];
        hand[i] = NULL;
    }
    ready = 1;
    for (;;) usleep(1000);
    return mine[0];
}

// libc gives the stack of a thread that has ended to the next one.
static void stack_used_again(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, allocates, NULL);
    pthread_join(thread, NULL);
    fill(hand);
    pthread_create(&thread, NULL, takes_over, NULL);
    while (!ready) usleep(1000);
}

static void* leaves_pointers(void* unused) {
    (void)unused;
    void* volatile gone[1000];  // far from what libc keeps at the top
    for (int i = 0; i < LOST; ++i) gone[i] = calloc(1, 77);
    return gone[0] == NULL ? (void*)&ready : NULL;
}

// What a thread that has ended left on its stack holds nothing.
static void stack_not_used_again(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, leaves_pointers, NULL);
    pthread_join(thread, NULL);
    usleep(10000);  // The kernel still has the thread for a moment.
    exit(0);
}

static void* holds(void* unused) {
    (void)unused;
    void* volatile mine[HELD];
    fill(mine);
    wipe_stack();
    __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
    for (;;) pause();
    return mine[0];
}

static void* ends(void* unused) {
    (void)unused;
    lose();
    end();
    return NULL;
}

// One mapping for all stacks, and a guard below them. The thread with the highest one calls exit().
static void stacks_in_a_row(void) {
    enum { count = 4 };
    char* stacks = mmap(NULL, count * STACK_BYTES + 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stacks, 4096, PROT_NONE);
    stacks += 4096;
    for (int i = 0; i < count; ++i) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stacks + i * STACK_BYTES, STACK_BYTES);
        if (i == count - 1) {
            while (ready < count - 1) usleep(1000);
        }
        pthread_create(&thread, &attributes, i == count - 1 ? ends : holds, NULL);
    }
    for (;;) pause();
}

static void* returns_block(void* unused) {
    free(malloc(500));
    (void)unused;
    return calloc(1, 1000);
}

// Stacks without guards lie in one mapping. Results of threads that nobody has joined lie there.
static void stacks_without_guards(void) {
    enum { count = 40 };
    static pthread_t threads[count];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setguardsize(&attributes, 0);
    pthread_attr_setstacksize(&attributes, COROUTINE_BYTES);
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], &attributes, returns_block, NULL);
    usleep(200000);
}

// ---- registers of threads ----------------------------------------------------------------------

// Has ten pointers in registers and nowhere else.
static void* computes(void* unused) {
    (void)unused;
    long *a = hand[0], *b = hand[1], *c = hand[2], *d = hand[3], *e = hand[4];
    long *f = hand[5], *g = hand[6], *h = hand[7], *i = hand[8], *j = hand[9];
    for (int k = 0; k < 10; ++k) hand[k] = NULL;
    ready = 1;
    long sum = 0;
    for (unsigned long k = 0;; k = (k + 1) & 63) {
        sum += a[k] + b[k] + c[k] + d[k] + e[k] + f[k] + g[k] + h[k] + i[k] + j[k];
        if (sum == -1) return a;
    }
}

static void held_by_registers(void) {
    pthread_t thread;
    fill(hand);
    pthread_create(&thread, NULL, computes, NULL);
    while (!ready) usleep(1000);
}

static void* sleeps(void* unused) {
    (void)unused;
    for (;;) pause();
    return NULL;
}

static ALONE void* lose_at_depth(int depth) {
    void* volatile deeper = NULL;
    if (depth > 0) {
        deeper = lose_at_depth(depth - 1);
    } else {
        for (int i = 0; i < 3; ++i) free(deeper), memset(malloc(77), 1, 77);
    }
    return deeper;
}

// Few blocks of each of so many call stacks that a thread which sleeps cannot hold them.
static void lost_at_many_places(int depth_max) {
    for (int i = 0; i < depth_max; ++i) lose_at_depth(i);
    pthread_t thread;
    pthread_create(&thread, NULL, sleeps, NULL);
    usleep(10000);
    end();
}

// ---- memory of other kinds ---------------------------------------------------------------------

// Both malloc() and the program take memory from the same end of the heap.
static ALONE void beside_the_heap(void) {
    for (int i = 0; i < 5; ++i) {
        void* volatile* const area = sbrk(i % 2 == 0 ? 4096 : 176);
        for (int k = 0; k < HELD / 5; ++k) area[k] = calloc(1, 1000);
        for (int k = 0; k < 40; ++k) free(malloc(30000 + k * 1000));
    }
}

// `path` may be below /dev, where large pages are mounted.
static ALONE void in_a_shared_file(const char* path) {
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, 4096) != 0) exit(77);
    unlink(path);
    void* volatile* const table = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (table == MAP_FAILED) exit(77);
    fill(table);
}

static ALONE void not_copied(int advice) {
    const size_t size = 1 << 20;
    void* volatile* const table =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void*)table, size, advice);
    fill(table);
}

// ---- stacks in a stack -------------------------------------------------------------------------

static void exits(int number) {
    (void)number;
    lose();
    end();
}

static ALONE void is_interrupted(void) {
    void* volatile mine[HELD];
    fill(mine);
    raise(SIGUSR1);
    if (mine[0] != NULL) exit(1);
}

// The handler's stack is in a frame of main()'s, and so above that of the interrupted function.
static ALONE void handler_in_a_frame(void) {
    char area[COROUTINE_BYTES];
    memset(area, 0, sizeof area);
    const stack_t stack = {.ss_sp = area, .ss_size = sizeof area};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = exits, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    is_interrupted();
}

static ucontext_t main_context, coroutines[2];

static void holds_and_waits(void) {
    void* volatile mine[HELD];
    fill(mine);
    swapcontext(&coroutines[0], &main_context);
    if (mine[0] != NULL) exit(1);
}

static void exits_in_a_coroutine(void) { exits(0); }

// The suspended coroutine lies below the running one, in a frame of the thread's own stack.
static ALONE void* coroutines_in_a_frame(void* unused) {
    (void)unused;
    char areas[2][COROUTINE_BYTES];
    memset(areas, 0, sizeof areas);
    for (int i = 0; i < 2; ++i) {
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = areas[i];
        coroutines[i].uc_stack.ss_size = sizeof areas[i];
        coroutines[i].uc_link = &main_context;
        makecontext(&coroutines[i], i == 0 ? holds_and_waits : exits_in_a_coroutine, 0);
        swapcontext(&main_context, &coroutines[i]);
    }
    return NULL;
}

static void coroutines_of_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, coroutines_in_a_frame, NULL);
    for (;;) pause();
}

int main(int argc, char** argv) {
    const char* const mode = argc > 1 ? argv[1] : "";
#define MODE(name, call) \
    if (strcmp(mode, name) == 0) call
    MODE("stack_used_again", stack_used_again());
    MODE("stack_not_used_again", stack_not_used_again());
    MODE("stacks_in_a_row", stacks_in_a_row());
    MODE("stacks_without_guards", stacks_without_guards());
    MODE("handler_in_a_frame", handler_in_a_frame());
    MODE("coroutines_in_a_frame", coroutines_in_a_frame(NULL));
    MODE("coroutines_of_a_thread", coroutines_of_a_thread());
    MODE("beside_the_heap", beside_the_heap());
    MODE("held_by_registers", held_by_registers());
    MODE("lost_at_many_places", lost_at_many_places(100));
    MODE("lost_at_some_places", lost_at_many_places(4));
    MODE("in_a_shared_file", in_a_shared_file(argv[2]));
    MODE("not_copied", not_copied(MADV_DONTFORK));
    MODE("wiped_in_copies", not_copied(MADV_WIPEONFORK));
    lose();
    end();
}
