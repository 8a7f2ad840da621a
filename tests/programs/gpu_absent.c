// run: manual
// A program without a GPU that looks for one. It finds the same under memtrace, although memtrace
// has functions of these names.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char* const names[] = {"cuInit",    "cuMemAlloc_v2",     "cuGetProcAddress_v2",
                                 "cuNothing", "cuMemAllocNothing", "cudaMalloc",
                                 "cudaFree",  "cudaNothing"};
    void* self = dlopen(NULL, RTLD_NOW);
    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
        void* by_default = dlsym(RTLD_DEFAULT, names[i]);
        void* by_self = dlsym(self, names[i]);
        const char* error = dlerror();
        printf("%s: %s, %s; %s\n", names[i], by_default ? "there" : "not there",
               by_self ? "there" : "not there", error != NULL ? "an error" : "no error");
        printf("%s after the error\n", dlerror() != NULL ? "an error" : "none");
    }
    free(malloc(100));
    return 0;
}
