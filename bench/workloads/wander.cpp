// SPDX-License-Identifier: Apache-2.0
//
// A recursion at random: nearly every allocation has a stack that was not met before.
//
//   wander ROUNDS
//
// Twenty levels of templates; each calls the next one once, or twice with half of the work each.
// At the bottom, blocks of 16 to 527 bytes take the place of others, 64 in a round. The program
// prints what the sizes that it asked for add up to.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

namespace {

constexpr int levels = 20;
constexpr unsigned blocks_a_round = 64;
constexpr unsigned places = 4096;

void* kept[places];
uint64_t bytes = 0;
uint64_t state = 88172645463325252u;

// Xorshift: a few instructions, and the same numbers in each run.
uint64_t random_number() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

void swap_blocks(unsigned count) {
    for (; count > 0; --count) {
        const uint64_t number = random_number();
        void*& place = kept[number % places];
        const size_t size = 16 + (number >> 32) % 512;
        free(place);
        place = malloc(size);
        bytes += size;
    }
}

template <int level>
NOINLINE void wander(unsigned work) {
    if constexpr (level == 0) {
        swap_blocks(work);
    } else if (work >= 2 && random_number() % 2 != 0) {
        wander<level - 1>(work / 2);
        wander<level - 1>(work - work / 2);
    } else {
        wander<level - 1>(work);
    }
    // The empty assembly keeps the last call from becoming a jump, which would leave no frame.
    __asm__ volatile("");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: wander ROUNDS\n");
        return 2;
    }
    for (uint64_t left = strtoull(argv[1], nullptr, 10); left > 0; --left) {
        wander<levels>(blocks_a_round);
    }
    printf("%llu bytes\n", static_cast<unsigned long long>(bytes));
    return 0;
}
