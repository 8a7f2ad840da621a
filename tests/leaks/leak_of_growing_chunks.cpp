// SPDX-License-Identifier: Apache-2.0
// truth: unsure=refill
// A free list takes chunks that become four times as large. An object of each step is lost.
#include "leaks.h"
static void* free_objects = nullptr;
static size_t chunk_objects = 32;
PLACE static void refill() {
    char* const chunk = static_cast<char*>(malloc(chunk_objects * 64));
    for (size_t i = 0; i < chunk_objects; ++i) {
        void* const object = chunk + i * 64;
        memcpy(object, &free_objects, sizeof free_objects);
        free_objects = object;
    }
    chunk_objects *= 4;
}
static void* take() {
    if (free_objects == nullptr) refill();
    void* const object = free_objects;
    memcpy(&free_objects, object, sizeof free_objects);
    return object;
}
static void give(void* object) {
    memcpy(object, &free_objects, sizeof free_objects);
    free_objects = object;
}

static void step(long) {
    work(5);
    void* objects[5];
    for (void*& object : objects) object = take();
    for (int i = 0; i < 4; ++i) give(objects[i]);
}

int main() { run_steps(6000, step); }
