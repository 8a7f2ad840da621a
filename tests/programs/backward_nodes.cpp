// run: manual
// truth: oracle
// Allocations that nodes make backward, on the calling thread and on the engine's own, with the
// line that went forward. Prints on stdout how much each line should hold. The library is a double
// of PyTorch's (argument 1). The child of a fork goes backward for what its parent did.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

struct Node;
static Node* (*scale)(size_t bytes);
static Node* (*nested)(size_t bytes, Node* next);
static void (*run)(Node* node);
static void (*forget)(Node* node);

template <class Function>
static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    CHECK(function != nullptr);
}

// A thread of the engine's own, with no function of the program in its stack but this one.
static sem_t work, done;
static Node* volatile todo;

static void* engine_thread(void*) {
    pthread_setname_np(pthread_self(), "pt_autograd_0");
    for (;;) {
        sem_wait(&work);
        if (todo == nullptr) return nullptr;
        run(todo);
        sem_post(&done);
    }
}

static void run_elsewhere(Node* node) {
    todo = node;
    sem_post(&work);
    if (node != nullptr) sem_wait(&done);
}

static void expect(int line, const char* operation, unsigned calls, size_t bytes) {
    char text[100];
    const int length = snprintf(text, sizeof text, "%d %s %u %zu\n", line, operation, calls, bytes);
    CHECK(write(1, text, (size_t)length) == length);
}

__attribute__((noinline)) static void backward(Node* node, bool elsewhere) {
    elsewhere ? run_elsewhere(node) : run(node);
    __asm__ volatile("");
}

// Three calls: one block is released, one is made larger.
static void step(bool elsewhere, size_t bytes) {
    Node* first = scale(bytes);
    expect(__LINE__ - 1, "ScaleBackward0", 3, 4 * bytes);
    backward(first, elsewhere);
    forget(first);
    // At the same address, of the same class: only its allocation distinguishes it from the first.
    Node* second = scale(3 * bytes);
    expect(__LINE__ - 1, "ScaleBackward0", 3, 12 * bytes);
    backward(second, elsewhere);
    Node* inner = scale(5 * bytes);
    expect(__LINE__ - 1, "ScaleBackward0", 3, 20 * bytes);
    Node* outer = nested(7 * bytes, inner);
    expect(__LINE__ - 1, "NestedBackward0", 2, 14 * bytes);
    backward(outer, elsewhere);
    forget(outer);
    forget(inner);
    forget(second);
    free(malloc(11 * bytes));  // belongs to no node
}

int main(int, char** arguments) {
    void* library = dlopen(arguments[1], RTLD_NOW);
    CHECK(library != nullptr);
    find(library, "autograd_scale", scale);
    find(library, "autograd_nested", nested);
    find(library, "autograd_run", run);
    find(library, "autograd_forget", forget);
    step(false, 100);
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, engine_thread, nullptr) == 0);
    step(true, 100000);
    run_elsewhere(nullptr);
    pthread_join(thread, nullptr);
    Node* before = scale(1000000);
    const pid_t child = fork();
    if (child == 0) {
        run(before);
        Node* after = scale(1000000);
        run(after);
        _exit(0);
    }
    CHECK(waitpid(child, nullptr, 0) == child);
    return 0;
}
