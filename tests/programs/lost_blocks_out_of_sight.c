// run: manual
// Fifty blocks that are held by memory which is not in sight: not in the process's page table, not
// readable, libc's own, the kernel's; and sixty that are lost:
//
//   lost_blocks_out_of_sight MODE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))
#define HELD 50
#define LOST 60
#define PAGE 4096
#define STACK_BYTES (64 << 10)

static void* volatile* volatile table;
static void* volatile hand[HELD];

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

static void* map(int rights, int kind, int file) {
    void* const mapped = mmap(NULL, PAGE, rights, kind, file, 0);
    if (mapped == MAP_FAILED) exit(77);
    return mapped;
}

// ---- not in the page table ---------------------------------------------------------------------

static int memory_file(void) {
    const int file = memfd_create("test", 0);
    if (file < 0 || ftruncate(file, PAGE) != 0) exit(77);
    return file;
}

// The next mapping of a file has no pages yet.
static ALONE void mapped_again(int rights, int kind) {
    const int file = memory_file();
    void* const before = map(PROT_READ | PROT_WRITE, MAP_SHARED, file);
    fill(before);
    munmap(before, PAGE);
    table = map(rights, kind, file);
}

static ALONE void written_by_a_child(void) {
    table = map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
    fill(hand);
    const pid_t child = fork();
    if (child == 0) {
        memcpy((void*)table, (void*)hand, sizeof hand);
        _exit(0);
    }
    memset((void*)hand, 0, sizeof hand);
    waitpid(child, NULL, 0);
}

// ---- not readable ------------------------------------------------------------------------------

static ALONE void sealed(int rights) {
    table = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    fill(table);
    mprotect((void*)table, PAGE, rights);
    // A program may reserve a lot and use none of it.
    mmap(NULL, (size_t)1 << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// ---- libc's, and the kernel's ------------------------------------------------------------------

// libc has room for 32 values, and allocates more of it when the 33rd is set.
static ALONE void values_of_keys(void) {
    pthread_key_t keys[HELD];
    for (int i = 0; i < HELD; ++i) pthread_key_create(&keys[i], NULL);
    for (int i = 0; i < HELD; ++i) pthread_setspecific(keys[i], calloc(1, 1000));
}

static void* has_values(void* unused) {
    (void)unused;
    values_of_keys();
    wipe_stack();
    *(volatile int*)hand = 1;
    for (;;) pause();
    return NULL;
}

static void values_of_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, has_values, NULL);
    while (*(volatile int*)hand == 0) usleep(1000);
}

static ALONE void stack_for_signals(void) {
    char* const block = calloc(1, STACK_BYTES);
    fill((void* volatile*)block);
    sigaltstack(&(stack_t){.ss_sp = block, .ss_size = STACK_BYTES}, NULL);
}

// ---- on a stack that is a block ----------------------------------------------------------------

static ALONE void holds_and_ends(void) {
    void* volatile mine[HELD];
    fill(mine);
    lose();
    end();
    if (mine[0] != NULL) exit(1);
}

static void handles(int number) {
    (void)number;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    holds_and_ends();
}

static ALONE void handler_in_a_block(void) {
    char* const block = calloc(1, STACK_BYTES);
    sigaltstack(&(stack_t){.ss_sp = block, .ss_size = STACK_BYTES}, NULL);
    struct sigaction action = {.sa_handler = handles, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
}

static ALONE void coroutine_in_a_block(void) {
    static ucontext_t before, coroutine;
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = calloc(1, STACK_BYTES);
    coroutine.uc_stack.ss_size = STACK_BYTES;
    makecontext(&coroutine, holds_and_ends, 0);
    coroutine.uc_stack.ss_sp = NULL;
    swapcontext(&before, &coroutine);
}

// ---- pointers behind the beginning -------------------------------------------------------------

// As C++ makes arrays of objects with destructors that are aligned to so many bytes.
static ALONE void arrays(void) {
    void* volatile* const place = hand;
    for (int i = 0; i < HELD; ++i) {
        const size_t head = (size_t)8 << i % 5, count = (size_t)i % 3;
        char* const block = aligned_alloc(head < 16 ? 16 : head, head + count * head);
        memset(block, 1, head + count * head);
        *(uint64_t*)(block + head - 8) = count;
        place[i] = block + head;
    }
}

// ---- beside memory that changes ----------------------------------------------------------------

static void* sleeps(void* unused) {
    (void)unused;
    *(volatile int*)hand = 1;
    for (;;) pause();
    return NULL;
}

static void* wakes_up(void* unused) {
    (void)unused;
    *(volatile int*)hand = 1;
    for (;;) usleep(1000);
    return NULL;
}

static void shared_beside_a_thread(void* (*run)(void*)) {
    pthread_t thread;
    table = map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
    fill(table);
    pthread_create(&thread, NULL, run, NULL);
    while (*(volatile int*)hand == 0) usleep(1000);
    usleep(100000);  // It has begun to sleep by now.
}

int main(int argc, char** argv) {
    const char* const mode = argc > 1 ? argv[1] : "";
#define MODE(name, call) \
    if (strcmp(mode, name) == 0) call
    MODE("mapped_again", mapped_again(PROT_READ | PROT_WRITE, MAP_SHARED));
    MODE("mapped_to_read", mapped_again(PROT_READ, MAP_SHARED));
    MODE("mapped_as_its_own", mapped_again(PROT_READ, MAP_PRIVATE));
    MODE("written_by_a_child", written_by_a_child());
    MODE("write_only", sealed(PROT_WRITE));
    MODE("execute_only", sealed(PROT_EXEC));
    MODE("no_access", sealed(PROT_NONE));
    MODE("values_of_keys", values_of_keys());
    MODE("values_of_a_thread", values_of_a_thread());
    MODE("stack_for_signals", stack_for_signals());
    MODE("handler_in_a_block", handler_in_a_block());
    MODE("coroutine_in_a_block", coroutine_in_a_block());
    MODE("arrays", arrays());
    MODE("shared_beside_a_thread", shared_beside_a_thread(wakes_up));
    MODE("shared_beside_a_sleeper", shared_beside_a_thread(sleeps));
    if (strcmp(mode, "handler_in_a_block") == 0) {
        wipe_stack();
        raise(SIGUSR1);
    }
    lose();
    end();
}
