// run: manual
// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// A program allocates at every step of a deep and changing recursion, while a timer and a thread
// interrupt it as often as they can. Their handlers allocate too, one of them on a stack of its
// own. The allocator underneath permits that. Writes its true stacks to the file that is its
// argument; tests/e2e/cases/signals_in_deep_recursion.py reads it.
#include <alloca.h>
#include <stdio.h>
#include <sys/time.h>

#include <atomic>

#include "support.h"

namespace {

// ---- the truth ---------------------------------------------------------------------------------

// A stack is a node: the return address of a function, and the node of the function outside it.
struct Node {
    uint64_t parent;
    uint64_t address;
};
constexpr uint32_t nodes_max = 1u << 20;
Node nodes[nodes_max];
uint64_t node_count = 1;
uint32_t places[2 * nodes_max];
volatile uint32_t current;  // the main flow's; handlers read it

uint32_t node_of(uint32_t parent, void* address) {
    const Node wanted{parent, reinterpret_cast<uint64_t>(address)};
    uint64_t place = (wanted.address * 31 + parent) * 0x9e3779b97f4a7c15u >> 43;
    for (;; place = (place + 1) % (2 * nodes_max)) {
        const uint32_t node = places[place];
        if (node == 0) break;
        if (nodes[node].parent == parent && nodes[node].address == wanted.address) return node;
    }
    CHECK(node_count < nodes_max);
    nodes[node_count] = wanted;
    places[place] = static_cast<uint32_t>(node_count);
    return static_cast<uint32_t>(node_count++);
}

// One function of the main flow on the stack, while the object lives.
class Call {
public:
    __attribute__((always_inline)) explicit Call(void* return_address) : outside_(current) {
        current = node_of(outside_, return_address);
    }
    __attribute__((always_inline)) ~Call() { current = outside_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

private:
    uint32_t outside_;
};

constexpr uint64_t in_main_max = 2000000;
uint32_t in_main[in_main_max];
uint64_t in_main_count;

struct Handled {
    uint64_t size;
    uint64_t node;           // the position of the main flow
    uint64_t returns_to[3];  // of the function that allocated, and of those outside it
};
constexpr uint64_t handled_wanted = 120000;
constexpr uint64_t handled_max = 2 * handled_wanted;
Handled handled[handled_max];
std::atomic<uint64_t> handled_count;
// The shim keeps 128 events of handlers while it records an event of the main flow, and counts the
// rest as lost. Writing out a full ring takes longer than that many signals; then handlers only
// return. Each signal is two events, and as many may be left over from the previous event.
constexpr unsigned in_a_row_max = 30;
std::atomic<unsigned> in_a_row;

// ---- the handlers ------------------------------------------------------------------------------

__attribute__((noinline)) void allocate_in_handler(Handled& note) {
    note.returns_to[0] = reinterpret_cast<uint64_t>(__builtin_return_address(0));
    void* volatile block = malloc(note.size);
    free(block);
}

__attribute__((noinline)) void work_in_handler(Handled& note) {
    note.returns_to[1] = reinterpret_cast<uint64_t>(__builtin_return_address(0));
    allocate_in_handler(note);
    __asm__ volatile("");
}

void on_signal(int) {
    const int kept_errno = errno;
    const bool is_too_much = in_a_row.fetch_add(1) >= in_a_row_max;
    const uint64_t number = is_too_much ? handled_max : handled_count.fetch_add(1);
    if (number < handled_max) {
        Handled& note = handled[number];
        note.size = 1 + 16 * (number % 32);
        note.node = current;
        note.returns_to[2] = reinterpret_cast<uint64_t>(__builtin_return_address(0));
        work_in_handler(note);
    }
    errno = kept_errno;
}

std::atomic<bool> stop;

void* signal_the_main_thread(void* main_thread) {
    while (!stop) pthread_kill(*static_cast<pthread_t*>(main_thread), SIGUSR1);
    return nullptr;
}

// ---- the main flow -----------------------------------------------------------------------------

uint64_t random_state = 88172645463325252u;
unsigned random_below(unsigned limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return static_cast<unsigned>(random_state >> 33) % limit;
}

bool is_over() { return handled_count >= handled_wanted; }

// On a busy machine the thread that sends signals gets little of it. Blocks of the main flow come
// in proportion to signals, so that the last signals find it allocating too.
bool has_blocks_left() {
    const uint64_t due = (handled_count + 1000) * (in_main_max / handled_wanted);
    return in_main_count < (due < in_main_max ? due : in_main_max);
}

__attribute__((always_inline)) inline void allocate() {
    in_a_row = 0;
    if (!has_blocks_left()) return;
    void* volatile block = malloc(16 * (1 + in_main_count % 4));
    in_main[in_main_count++] = current;
    in_a_row = 0;
    free(block);
}

void go_on(unsigned phase, int depth);

__attribute__((noinline)) void small_frame(unsigned phase, int depth) {
    const Call call(__builtin_return_address(0));
    allocate();
    go_on(phase, depth);
    allocate();
}

__attribute__((noinline)) void variable_frame(unsigned phase, int depth) {
    const Call call(__builtin_return_address(0));
    char* const room = static_cast<char*>(alloca(16 + 16 * (phase % 5)));
    room[0] = 1;
    allocate();
    go_on(phase, depth);
    __asm__ volatile("" : : "r"(room) : "memory");
}

__attribute__((noinline)) void realigned_frame(unsigned phase, int depth) {
    const Call call(__builtin_return_address(0));
    alignas(64) char room[192];
    room[0] = 1;
    __asm__ volatile("" : : "r"(room) : "memory");
    go_on(phase, depth);
    allocate();
    __asm__ volatile("" : : "r"(room) : "memory");
}

// Down to `depth`, now and then a step up and another way down.
__attribute__((noinline)) void go_on(unsigned phase, int depth) {
    const Call call(__builtin_return_address(0));
    if (depth == 0 || is_over()) return;
    const unsigned ways = random_below(8) == 0 ? 2 : 1;
    for (unsigned way = 0; way < ways; ++way) {
        void (*const shapes[])(unsigned, int) = {small_frame, variable_frame, realigned_frame};
        const unsigned other = depth % 16 == 0 ? way : 0;
        shapes[(phase + static_cast<unsigned>(depth) * 7 + other) % 3](phase, depth - 1);
        if (ways > 1) allocate();
    }
    __asm__ volatile("");
}

void write_all(FILE* file, const void* items, size_t bytes, uint64_t count) {
    CHECK(fwrite(&count, sizeof count, 1, file) == 1);
    CHECK(fwrite(items, bytes, count, file) == count);
}

}  // namespace

int main(int count, char** arguments) {
    const Call call(__builtin_return_address(0));
    static char other_stack[256 << 10];
    const stack_t alternate = {.ss_sp = other_stack, .ss_flags = 0, .ss_size = sizeof other_stack};
    CHECK(sigaltstack(&alternate, nullptr) == 0);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGALRM, &action, nullptr) == 0);
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);

    sigset_t all, before;
    sigfillset(&all);
    pthread_t self = pthread_self(), thread;
    CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);  // the thread is not interrupted
    CHECK(pthread_create(&thread, nullptr, signal_the_main_thread, &self) == 0);
    void* volatile mark = malloc(7777);  // from here on every block is counted
    const struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, nullptr) == 0);
    CHECK(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
    for (unsigned phase = 0; !is_over(); ++phase) {
        go_on(phase % 12, 4 + static_cast<int>(random_below(60)));
    }
    CHECK(setitimer(ITIMER_REAL, &never, nullptr) == 0);
    stop = true;
    CHECK(pthread_join(thread, nullptr) == 0);
    free(mark);
    mark = malloc(7778);
    free(mark);

    FILE* const file = count > 1 ? fopen(arguments[1], "w") : nullptr;
    if (file != nullptr) {
        const uint64_t all_handled = handled_count;
        const uint64_t handled_here = all_handled < handled_max ? all_handled : handled_max;
        write_all(file, nodes, sizeof nodes[0], node_count);
        write_all(file, in_main, sizeof in_main[0], in_main_count);
        write_all(file, handled, sizeof handled[0], handled_here);
        CHECK(fclose(file) == 0);
    }
    say("done\n");
    return 0;
}
