// SPDX-License-Identifier: Apache-2.0
//
// Shared by the programs of this folder: a run of a given number of steps over about a second, with
// or without marks. Environment: LEAKS_MARKS=0 omits the marks, LEAKS_SECONDS is the time.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <memtrace/memtrace.h>

// A function that keeps its own frame in the stack.
#define PLACE __attribute__((noinline, noclone))

static uint64_t leaks_random_state = 88172645463325252u;

static inline uint64_t random_below(uint64_t limit) {
    leaks_random_state ^= leaks_random_state << 13;
    leaks_random_state ^= leaks_random_state >> 7;
    leaks_random_state ^= leaks_random_state << 17;
    return leaks_random_state % limit;
}

static inline double leaks_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline void leaks_sleep(double seconds) {
    if (seconds < 0.001) return;
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static inline double leaks_seconds(void) {
    const char* text = getenv("LEAKS_SECONDS");
    return text ? atof(text) : 1.0;
}

static inline int leaks_marks(void) {
    const char* text = getenv("LEAKS_MARKS");
    return !text || atoi(text);
}

// Calls step(0) to step(steps - 1).
static inline void run_steps(long steps, void (*step)(long)) {
    const double begin = leaks_now();
    const double each = leaks_seconds() / (double)steps;
    const int marks = leaks_marks();
    char name[32];
    for (long i = 0; i < steps; ++i) {
        if (marks) {
            snprintf(name, sizeof name, "step %ld", i);
            MEMTRACE_BEGIN(name);
        }
        step(i);
        if (marks) MEMTRACE_END(name);
        leaks_sleep(begin + (double)(i + 1) * each - leaks_now());
    }
}

// Additional work of every step in every program: blocks that are allocated and freed.
PLACE static void work(int blocks) {
    void* held[16];
    for (int i = 0; i < blocks; ++i) {
        if (i >= 16) free(held[i % 16]);
        held[i % 16] = malloc(16 + random_below(200));
    }
    for (int i = 0; i < (blocks < 16 ? blocks : 16); ++i) free(held[i]);
}
