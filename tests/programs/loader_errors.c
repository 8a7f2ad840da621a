// run: manual
// A program that has not read the loader's last error when it calls something on whose way memtrace
// calls the loader: `loader_errors nvtx|driver|jit`. The message is a block of the program, and
// blocks of its size are taken next.
#include <stdio.h>
#include <string.h>

#include "tests/doubles/nvtx/nvtx_copy.h"

static void call_something(const char* what) {
    static const int no_frames[2];
    if (!strcmp(what, "nvtx")) nvtxMarkA("mark");
    if (!strcmp(what, "jit")) {
        void (*add)(const void*) = (void (*)(const void*))dlsym(RTLD_DEFAULT, "__register_frame");
        dlopen("libnosuch.so", RTLD_NOW);
        if (add) add(no_frames);
    }
    if (!strcmp(what, "driver")) {
        void* driver = dlopen("libcuda.so.1", RTLD_NOW);
        int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
        dlopen("libnosuch.so", RTLD_NOW);
        printf("cuInit: %d\n", init ? init(0) : -1);
    }
}

int main(int count, char** words) {
    static void* blocks[400];
    if (count < 2) return 2;
    dlopen("libnosuch.so", RTLD_NOW);
    call_something(words[1]);
    for (int i = 0; i < 400; ++i) blocks[i] = malloc(8 + (size_t)(i % 20) * 8);
    const char* error = dlerror();
    printf("%s\n", error == NULL || strstr(error, "libnosuch") ? "no error of another" : error);
    for (int i = 0; i < 400; ++i) free(blocks[i]);
    return 0;
}
