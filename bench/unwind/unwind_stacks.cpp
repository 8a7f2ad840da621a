// SPDX-License-Identifier: Apache-2.0
#include "bench/unwind/unwind_stacks.h"

#include <alloca.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <utility>

#define BENCH_FRAME __attribute__((noinline))

namespace memtrace::bench {
namespace {

// ---- frames -------------------------------------------------------------------------------------

// Frames of several sizes. One in eight is found through rbp. Each function stores its number, so
// no two functions are equal to the compiler.
template <unsigned number>
BENCH_FRAME void nest(Run& run) {
    [[maybe_unused]] volatile char room[8 + 16 * (number % 4)];
    room[0] = number;
    if constexpr (number % 8 == 7) static_cast<volatile char*>(alloca(run.nests + 1))[0] = 0;
    if constexpr (number == 0) run.loop(run);
    else nest<number - 1>(run);
}

template <unsigned... numbers>
constexpr std::array<Run::Function*, sizeof...(numbers)> all_nests(
    std::integer_sequence<unsigned, numbers...>) {
    return {nest<numbers>...};
}
constexpr auto nests = all_nests(std::make_integer_sequence<unsigned, nests_max + 1>());

template <char side, unsigned length>
BENCH_FRAME void branch(Run& run) {
    [[maybe_unused]] volatile char room[8 + 16 * (length % 4)];
    room[0] = static_cast<char>(side + length);
    if constexpr (length % 8 == 7) static_cast<volatile char*>(alloca(run.nests + 1))[0] = 0;
    if constexpr (length == 1) run.site(run);
    else branch<side, length - 1>(run);
}

// ---- loops --------------------------------------------------------------------------------------

void same_site(Run& run) {
    for (uint64_t turn = 0; run.goes_on(turn); ++turn) run.site(run);
}

void two_sites(Run& run) {
    for (uint64_t turn = 0; run.goes_on(turn); ++turn) {
        run.site(run);
        run.site(run);
    }
}

// One call for both branches, so the loop's own frame does not change.
void two_branches(Run& run) {
    for (uint64_t turn = 0; run.goes_on(turn); ++turn) run.branches[turn & 1](run);
}

// ---- fibers -------------------------------------------------------------------------------------

struct Fiber {
    static constexpr size_t stack_bytes = 256 << 10;
    static constexpr size_t guard_bytes = 4096;

    void* region = MAP_FAILED;
    ucontext_t start{};
    jmp_buf place;  // position at which the fiber waits
};

struct Fibers {
    Fiber fibers[2];
    jmp_buf home;
    Run* run = nullptr;
    Fiber* current = nullptr;
};
thread_local Fibers* own_fibers = nullptr;

// swapcontext() makes two system calls, which would hide the measured cost. These calls make none.
BENCH_FRAME void change(jmp_buf& from, jmp_buf& to) {
    if (_setjmp(from) == 0) _longjmp(to, 1);
}

void fiber_loop(Run& run) {
    Fibers& all = *own_fibers;
    Fiber& own = *all.current;
    for (;;) {
        change(own.place, all.home);
        run.site(run);
    }
}

void begin_fiber() {
    Run& run = *own_fibers->run;
    run.loop = fiber_loop;
    nests[run.nests](run);
}

BENCH_FRAME void start(Fibers& all, Fiber& fiber) {
    all.current = &fiber;
    makecontext(&fiber.start, begin_fiber, 0);
    if (_setjmp(all.home) == 0) setcontext(&fiber.start);
}

bool make(Fiber& fiber) {
    constexpr size_t bytes = Fiber::guard_bytes + Fiber::stack_bytes;
    fiber.region = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fiber.region == MAP_FAILED) return false;
    char* const stack = static_cast<char*>(fiber.region) + Fiber::guard_bytes;
    if (mprotect(stack, Fiber::stack_bytes, PROT_READ | PROT_WRITE) != 0) return false;
    if (getcontext(&fiber.start) != 0) return false;
    fiber.start.uc_stack.ss_sp = stack;
    fiber.start.uc_stack.ss_size = Fiber::stack_bytes;
    fiber.start.uc_link = nullptr;
    return true;
}

void drop(Fiber& fiber) {
    if (fiber.region == MAP_FAILED) return;
    munmap(fiber.region, Fiber::guard_bytes + Fiber::stack_bytes);
}

// The fibers never end. Their stacks are unmapped.
bool run_on_fibers(Run& run) {
    Fibers all;
    all.run = &run;
    own_fibers = &all;
    const bool is_made = make(all.fibers[0]) && make(all.fibers[1]);
    if (is_made) {
        for (Fiber& fiber : all.fibers) start(all, fiber);
        for (uint64_t turn = 0; run.goes_on(turn); ++turn) {
            all.current = &all.fibers[turn & 1];
            change(all.home, all.current->place);
        }
    }
    for (Fiber& fiber : all.fibers) drop(fiber);
    return is_made;
}

}  // namespace

const Shape shapes[5] = {
    {"same_site", same_site, {}, 0, 1, false},
    {"4_new_frames", two_branches, {branch<'a', 4>, branch<'b', 4>}, 4, 1, false},
    {"16_new_frames", two_branches, {branch<'a', 16>, branch<'b', 16>}, 16, 1, false},
    {"two_sites", two_sites, {}, 1, 2, false},
    {"two_fibers", nullptr, {}, 0, 1, true},
};

bool run_shape(const Shape& shape, Run& run) {
    if (shape.is_on_fibers) return run_on_fibers(run);
    run.loop = shape.loop;
    run.branches = shape.branches;
    nests[run.nests](run);
    return true;
}

}  // namespace memtrace::bench
