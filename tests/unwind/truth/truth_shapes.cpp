// SPDX-License-Identifier: Apache-2.0
//
// Functions with frames of every kind that compilers make. The file is compiled with the options of
// several compilers, which decide the frames.
#include <alloca.h>

#include <cstdarg>
#include <cstring>

#include "tests/unwind/truth/truth_graph.h"

#if defined(__clang__)
#define KEEPS_FRAME_POINTER
#define OMITS_FRAME_POINTER
#else
#define KEEPS_FRAME_POINTER __attribute__((optimize("no-omit-frame-pointer")))
#define OMITS_FRAME_POINTER __attribute__((optimize("omit-frame-pointer")))
#endif

namespace truth {
namespace {

TRUTH_SHAPE int shape_plain(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const int before = static_cast<int>(run.below(100));
    return go_on(run, depth) + before;
}

TRUTH_SHAPE int shape_large(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    char room[700];
    TRUTH_USE(room);
    const int sum = go_on(run, depth);
    TRUTH_USE(room);
    return sum;
}

TRUTH_SHAPE int shape_several_pages(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    char room[9000];
    TRUTH_USE(room);
    const int sum = go_on(run, depth);
    TRUTH_USE(room);
    return sum;
}

// The memory of an alloca is left as it was: words of earlier stacks.
TRUTH_SHAPE int shape_alloca(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    void* room = alloca(16 * (1 + run.below(6)));
    TRUTH_USE(room);
    const int sum = go_on(run, depth);
    TRUTH_USE(room);
    return sum;
}

TRUTH_SHAPE int shape_alloca_between_calls(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    int sum = 0;
    for (unsigned i = 0; i <= run.below(3); ++i) {
        void* room = alloca(16 * (1 + run.below(4)));
        TRUTH_USE(room);
        sum += go_on(run, depth);
        TRUTH_USE(room);
    }
    return sum;
}

TRUTH_SHAPE int shape_variable_array(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    int sum = 0;
    for (unsigned i = 0; i < 2; ++i) {
        long numbers[1 + run.below(40)];
        TRUTH_USE(numbers);
        sum += go_on(run, depth);
        TRUTH_USE(numbers);
    }
    return sum;
}

TRUTH_SHAPE int shape_aligned(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    alignas(64) char room[64];
    TRUTH_USE(room);
    const int sum = go_on(run, depth);
    TRUTH_USE(room);
    return sum;
}

TRUTH_SHAPE int shape_aligned_with_alloca(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    alignas(128) char room[128];
    void* more = alloca(16 * (1 + run.below(6)));
    TRUTH_USE(room);
    TRUTH_USE(more);
    const int sum = go_on(run, depth);
    TRUTH_USE(room);
    TRUTH_USE(more);
    return sum;
}

// Loops that become vectors; their registers need aligned places.
TRUTH_SHAPE int shape_vectors(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    alignas(32) double numbers[32];
    for (int i = 0; i < 32; ++i) numbers[i] = i * 0.5;
    TRUTH_USE(numbers);
    const int sum = go_on(run, depth);
    double total = sum;
    for (const double number : numbers) total += number * number;
    return static_cast<int>(total);
}

KEEPS_FRAME_POINTER TRUTH_SHAPE int shape_keeps_frame_pointer(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    char room[40];
    TRUTH_USE(room);
    const int sum = go_on(run, depth);
    TRUTH_USE(room);
    return sum;
}

OMITS_FRAME_POINTER TRUTH_SHAPE int shape_omits_frame_pointer(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    char room[40];
    TRUTH_USE(room);
    const int sum = go_on(run, depth);
    TRUTH_USE(room);
    return sum;
}

// Enough values live across the calls for rbp to become one of their registers.
OMITS_FRAME_POINTER TRUTH_SHAPE int shape_needs_registers(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    unsigned a = run.below(9), b = run.below(9), c = run.below(9), d = run.below(9);
    unsigned e = run.below(9), f = run.below(9), g = run.below(9), h = run.below(9);
    int sum = 0;
    for (unsigned i = 0; i < 2; ++i) {
        sum += go_on(run, depth);
        a += b ^ sum, b += c, c += d, d += e, e += f ^ sum, f += g, g += h, h += a;
    }
    return sum + static_cast<int>((a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) & 15);
}

TRUTH_SHAPE int sum_of_many(Run& run, int depth, int count, ...) {
    const Call call(__builtin_return_address(0));
    va_list numbers;
    va_start(numbers, count);
    int sum = go_on(run, depth);
    for (int i = 0; i < count; ++i) sum += va_arg(numbers, int);
    va_end(numbers);
    return sum;
}

TRUTH_SHAPE int shape_variable_arguments(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const int sum = sum_of_many(run, depth, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    return sum + static_cast<int>(run.below(3));
}

TRUTH_SHAPE int take_many(Run& run, int depth, int a, int b, int c, int d, int e, int f, int g) {
    const Call call(__builtin_return_address(0));
    const int sum = go_on(run, depth);
    return sum + a + b + c + d + e + f + g;
}

TRUTH_SHAPE int shape_many_arguments(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const int sum = take_many(run, depth, 1, 2, 3, 4, 5, 6, 7);
    return sum + static_cast<int>(run.below(3));
}

struct Large {
    int numbers[40];
};

TRUTH_SHAPE Large take_and_return_large(Run& run, int depth, Large large) {
    const Call call(__builtin_return_address(0));
    large.numbers[3] += go_on(run, depth);
    return large;
}

TRUTH_SHAPE int shape_large_argument(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    Large large{};
    large.numbers[2] = depth;
    return take_and_return_large(run, depth, large).numbers[3];
}

TRUTH_SHAPE int recurse(Run& run, int depth, int times) {
    const Call call(__builtin_return_address(0));
    const auto* here = static_cast<const char*>(__builtin_frame_address(0));
    const bool is_over = times == 0 || here < run.floor;
    const int sum = is_over ? go_on(run, depth) : recurse(run, depth, times - 1);
    if (run.below(200) == 0) check();
    return sum + times;
}

// Now and then deeper than any limit.
TRUTH_SHAPE int shape_recurses(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const unsigned times = run.below(40) == 0 ? 1500 : run.below(30);
    const bool has_room = current->calls->depth + times + 100 < Calls::calls_max;
    return recurse(run, depth, static_cast<int>(has_room ? times : 0));
}

// The compiler decides whether the call replaces this function. The function stores its return
// address, and the next function finds out; that is why nothing else is done here.
TRUTH_SHAPE int shape_ends_in_a_call(Run& run, int depth) {
    Shape next = run.next();
    // Not itself: two calls from one place could not be distinguished from a replaced one.
    if (next == shape_ends_in_a_call) next = shape_plain;
    current->calls->tail = __builtin_return_address(0);
    return next(run, depth - 1);
}

}  // namespace

// Here the call certainly replaces the function.
__attribute__((naked)) int shape_jumps_on(Run&, int) { asm("jmp truth_after_the_jump"); }

extern "C" TRUTH_SHAPE int truth_after_the_jump(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    return go_on(run, depth) + 1;
}

const Shape shapes[] = {
    shape_plain,
    shape_large,
    shape_several_pages,
    shape_alloca,
    shape_alloca_between_calls,
    shape_variable_array,
    shape_aligned,
    shape_aligned_with_alloca,
    shape_vectors,
    shape_keeps_frame_pointer,
    shape_omits_frame_pointer,
    shape_needs_registers,
    shape_variable_arguments,
    shape_many_arguments,
    shape_large_argument,
    shape_recurses,
    shape_ends_in_a_call,
    shape_jumps_on,
    shape_throws,
    shape_catches,
    shape_jumps,
    shape_is_jumped_to,
    shape_has_destructor,
    shape_is_sorted,
    shape_is_interrupted,
    shape_raises,
    shape_changes_stack,
    shape_is_busy_with_rbp,
    shape_is_found_through_rbx,
    shape_is_realigned,
};
const unsigned shape_count = sizeof shapes / sizeof shapes[0];

}  // namespace truth
