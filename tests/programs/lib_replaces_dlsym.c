// A library that replaces dlsym to put itself between programs and CUDA's driver, as libraries do
// that limit the memory of containers. It counts calls of cuMemAlloc_v2, and prints the number at
// exit.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int calls;
static int (*real_allocate)(unsigned long long*, size_t);

static int allocate(unsigned long long* address, size_t size) {
    ++calls;
    return real_allocate(address, size);
}

__attribute__((visibility("default"))) void* dlsym(void* handle, const char* name) {
    static void* (*real)(void*, const char*);
    if (real == NULL) {
        real = (void* (*)(void*, const char*))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    }
    void* const found = real(handle, name);
    if (found == NULL || strcmp(name, "cuMemAlloc_v2") != 0) return found;
    real_allocate = (int (*)(unsigned long long*, size_t))found;
    return (void*)allocate;
}

__attribute__((destructor)) static void say(void) { printf("counted %d calls\n", calls); }
