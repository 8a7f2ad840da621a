// run: manual libraries=double-libcuda
// Forks before the driver is initialised, and after: a context does not survive a fork.
#include <sys/wait.h>

#include "tests/programs/gpu_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

using namespace gpu;

static int use_gpu(size_t size) {
    Handle context = nullptr;
    DevicePointer address = 0;
    if (const int result = cuInit(0)) return result;
    if (const int result = cuCtxCreate_v2(&context, 0, 0)) return result;
    return cuMemAlloc_v2(&address, size);
}

static int in_a_child(size_t size) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        free(malloc(10));
        exit(use_gpu(size));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main() {
    printf("a child before: %d\n", in_a_child(1111));
    printf("the parent: %d\n", use_gpu(2222));
    printf("a child after: %d\n", in_a_child(3333));
    DevicePointer address = 0;
    printf("the parent again: %d\n", cuMemAlloc_v2(&address, 4444));
    return 0;
}
