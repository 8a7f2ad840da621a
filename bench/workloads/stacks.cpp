// SPDX-License-Identifier: Apache-2.0
//
// COUNT allocations, no two with the same call stack. scripts/measure/stack-growth measures this
// program.
//
//   stacks COUNT
//
// A binary counter chooses between two functions at each of 24 levels, its lowest digit innermost.
// Each block is freed at once. At the end the program prints the time, and the memory of the
// process, which a profiler inside it has made larger.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

namespace {

constexpr unsigned levels = 24;

using Function = void (*)(uint64_t digits, unsigned level);
extern const Function functions[2];

// Inlined into both functions, so a level is one frame. One call through a table calls the next
// function, so a frame's address depends on the function and on nothing else.
inline __attribute__((always_inline)) void go_on(uint64_t digits, unsigned level) {
    if (level == 0) {
        void* block = malloc(24);
        __asm__ volatile("" : "+r"(block));  // otherwise the compiler removes both calls
        free(block);
    } else {
        functions[digits >> (level - 1) & 1](digits, level - 1);
    }
}

// The empty assembly keeps the call from becoming a jump, which would leave no frame.
NOINLINE void zero(uint64_t digits, unsigned level) {
    go_on(digits, level);
    __asm__ volatile("");
}

NOINLINE void one(uint64_t digits, unsigned level) {
    go_on(digits, level);
    __asm__ volatile("" ::: "memory");
}

const Function functions[2] = {zero, one};

double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The kernel's status of this process, read without a call that allocates.
char status[8192];
void read_status() {
    const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, status, sizeof status - 1);
    if (fd >= 0) close(fd);
    status[length < 0 ? 0 : length] = 0;
}

long kibibytes(const char* field) {
    const char* found = strstr(status, field);
    return found == nullptr ? 0 : atol(found + strlen(field));
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t count = argc == 2 ? strtoull(argv[1], nullptr, 10) : ~uint64_t{0};
    if (count > uint64_t{1} << levels) {
        fprintf(stderr, "usage: stacks COUNT, which may be %d at most\n", 1 << levels);
        return 2;
    }
    const double start = now();
    for (uint64_t digits = 0; digits < count; ++digits) go_on(digits, levels);
    const double seconds = now() - start;
    read_status();
    printf(
        "{\"seconds\": %.6f, \"rss_kib\": %ld, \"rss_anonymous_kib\": %ld, "
        "\"rss_highest_kib\": %ld}\n",
        seconds, kibibytes("VmRSS:"), kibibytes("RssAnon:"), kibibytes("VmHWM:"));
    return 0;
}
