/* SPDX-License-Identifier: Apache-2.0
 *
 * Another vendor's tool, like the one of Nsight Systems: it counts what is reported, and prints the
 * counts at the end. Its handles and numbers are its own.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);
struct callbacks {
    size_t size;
    int (*table)(int, function***, unsigned*);
};

static int pushes, pops, starts, ends, names;
static char handles[100];

static int push(const void* event) {
    (void)event;
    return pushes++;
}
static int push_in(void* domain, const void* event) {
    (void)domain;
    return push(event);
}
static int pop(void) { return pops++; }
static int pop_in(void* domain) {
    (void)domain;
    return pop();
}
static uint64_t start(const void* event) {
    (void)event;
    return (uint64_t)++starts;
}
static uint64_t start_in(void* domain, const void* event) {
    (void)domain;
    return start(event);
}
static void end(uint64_t id) { ends += id >= 1 && id <= 100; }
static void end_in(void* domain, uint64_t id) {
    (void)domain;
    end(id);
}
static void* create(const void* text) {
    (void)text;
    return &handles[++names];
}
static void* string_in(void* domain, const void* text) {
    (void)domain;
    return create(text);
}

static void say(void) {
    printf("tool: %d pushes, %d pops, %d starts, %d ends, %d names\n", pushes, pops, starts, ends,
           names);
    fflush(stdout);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*tables)(uint32_t)) {
    const struct callbacks* callbacks = tables(1);
    function** core;
    function** core2;
    unsigned size;
    if (!callbacks->table(1, &core, &size) || !callbacks->table(5, &core2, &size)) return 0;
    for (int id = 8; id <= 10; ++id) *core[id] = (function)push;
    for (int id = 4; id <= 6; ++id) *core[id] = (function)start;
    *core[7] = (function)end;
    *core[11] = (function)pop;
    *core2[2] = (function)start_in;
    *core2[3] = (function)end_in;
    *core2[4] = (function)push_in;
    *core2[5] = (function)pop_in;
    *core2[10] = *core2[11] = (function)string_in;
    *core2[12] = *core2[13] = (function)create;
    atexit(say);
    return 1;
}
