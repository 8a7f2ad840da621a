// SPDX-License-Identifier: Apache-2.0
//
// Allocations from stacks of every kind, for libmemtrace-compare.so to compare:
//
//   compare-work ROUNDS [PLUGIN PLUGIN]
//
// Two threads, each with: random recursion through frames of fixed and of random size, realigned
// frames, exceptions through several of them, longjmp, fibers that take turns, and two plugins that
// are loaded and unloaded over and over, so other code comes to the same addresses.
#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <thread>

#define NOINLINE __attribute__((noinline))

namespace {

constexpr unsigned depth_max = 40;
constexpr size_t fiber_bytes = 256 * 1024;

struct Worker {
    uint64_t random;
    jmp_buf way_out;
    ucontext_t main, fibers[2];
    unsigned running = 0;
    bool fibers_done[2] = {};
    uint64_t sum = 0;

    unsigned draw(unsigned choices) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return static_cast<unsigned>(random >> 20) % choices;
    }
};
__thread Worker* current;

void call_one(Worker& worker, unsigned depth);

NOINLINE void allocate(Worker& worker) {
    void* block = malloc(8 + worker.draw(200));
    __asm__ volatile("" : "+r"(block));  // otherwise the compiler leaves both calls out
    free(block);
}

NOINLINE void fixed_frame(Worker& worker, unsigned depth) {
    volatile char room[48];
    room[depth % sizeof room] = 1;
    call_one(worker, depth + 1);
    worker.sum += static_cast<uint64_t>(room[depth % sizeof room]);
}

// The memory is left as it is found: it contains old return addresses.
NOINLINE void random_frame(Worker& worker, unsigned depth) {
    volatile char* room = static_cast<volatile char*>(alloca(16 + 16 * worker.draw(64)));
    call_one(worker, depth + 1);
    worker.sum += room[0] & 1;
}

NOINLINE void realigned_frame(Worker& worker, unsigned depth) {
    alignas(64) volatile char room[128];
    room[depth % sizeof room] = 1;
    call_one(worker, depth + 1);
    worker.sum += static_cast<uint64_t>(room[depth % sizeof room]);
}

NOINLINE void catching_frame(Worker& worker, unsigned depth) {
    try {
        call_one(worker, depth + 1);
        if (worker.draw(4) == 0) throw depth;
    } catch (unsigned thrown_at) {
        worker.sum += thrown_at;
        allocate(worker);
    }
}

NOINLINE void throwing_frame(Worker& worker, unsigned depth) {
    call_one(worker, depth + 1);
    if (worker.draw(8) == 0) throw depth;
}

NOINLINE void jumping_frame(Worker& worker, unsigned depth) {
    call_one(worker, depth + 1);
    if (worker.draw(64) == 0 && worker.running == 0) longjmp(worker.way_out, 1);
}

void call_one(Worker& worker, unsigned depth) {
    allocate(worker);
    if (depth >= depth_max || worker.draw(12) == 0) return;
    switch (worker.draw(6)) {
        case 0: fixed_frame(worker, depth); break;
        case 1: random_frame(worker, depth); break;
        case 2: realigned_frame(worker, depth); break;
        case 3: catching_frame(worker, depth); break;
        case 4: throwing_frame(worker, depth); break;
        default: jumping_frame(worker, depth);
    }
    allocate(worker);
}

NOINLINE void recurse(Worker& worker) {
    try {
        // The jump leaves only recursive calls of this function, so nothing needs to be destroyed.
        if (setjmp(worker.way_out) == 0) call_one(worker, 0);
    } catch (unsigned) {
        allocate(worker);
    }
}

void fiber_main(unsigned number) {
    Worker& worker = *current;
    for (int turn = 0; turn < 20; ++turn) {
        try {
            call_one(worker, depth_max - 12);
        } catch (unsigned) {
            allocate(worker);
        }
        swapcontext(&worker.fibers[number], &worker.main);
    }
    worker.fibers_done[number] = true;
}

NOINLINE void run_fibers(Worker& worker) {
    void* stacks[2];
    for (unsigned i = 0; i < 2; ++i) {
        stacks[i] =
            mmap(nullptr, fiber_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        getcontext(&worker.fibers[i]);
        worker.fibers[i].uc_stack.ss_sp = stacks[i];
        worker.fibers[i].uc_stack.ss_size = fiber_bytes;
        worker.fibers[i].uc_link = &worker.main;
        worker.fibers_done[i] = false;
        makecontext(&worker.fibers[i], reinterpret_cast<void (*)()>(fiber_main), 1, i);
    }
    worker.running = 1;
    while (!worker.fibers_done[0] || !worker.fibers_done[1]) {
        for (unsigned i = 0; i < 2; ++i) {
            if (!worker.fibers_done[i]) swapcontext(&worker.main, &worker.fibers[i]);
        }
    }
    worker.running = 0;
    for (void* stack : stacks) munmap(stack, fiber_bytes);
}

NOINLINE void load_and_unload(const char* path) {
    if (void* library = dlopen(path, RTLD_NOW)) dlclose(library);
}

void work(uint64_t seed, unsigned rounds, const char* const* plugins) {
    Worker worker{.random = seed, .way_out = {}, .main = {}, .fibers = {}};
    current = &worker;
    for (unsigned round = 0; round < rounds; ++round) {
        recurse(worker);
        if (round % 200 == 0) run_fibers(worker);
        if (round % 500 == 0 && plugins[0] != nullptr) load_and_unload(plugins[round / 500 % 2]);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 && argc != 4) {
        fputs("usage: compare-work ROUNDS [PLUGIN PLUGIN]\n", stderr);
        return 2;
    }
    const auto rounds = static_cast<unsigned>(atoi(argv[1]));
    const char* const plugins[2] = {argc == 4 ? argv[2] : nullptr, argc == 4 ? argv[3] : nullptr};
    std::thread other(work, 88172645463325252u, rounds, plugins);
    work(2463534242u, rounds, plugins);
    other.join();
    return 0;
}
