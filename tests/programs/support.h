// What the programs share: checks that end the program with exit code 97, and output without stdio,
// because stdio takes its buffers from the heap and the truth lines count every block.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void put(int fd, const char* text) {
    if (write(fd, text, strlen(text)) < 0) _exit(98);
}

static inline void say(const char* text) { put(1, text); }

static inline void check_failed(const char* what, int line) {
    char digits[12] = "0000000000\n";
    for (int i = 9; i >= 0; --i, line /= 10) digits[i] = (char)('0' + line % 10);
    put(2, "check failed: ");
    put(2, what);
    put(2, " in line ");
    put(2, digits);
    _exit(97);
}

#define CHECK(condition) ((condition) ? (void)0 : check_failed(#condition, __LINE__))

// The program cannot show its point on this machine: the runner reports the reason.
static inline void skip(const char* reason) {
    put(2, "skip: ");
    put(2, reason);
    put(2, "\n");
    _exit(77);
}
