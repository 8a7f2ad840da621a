// run: manual
// Requests functions of the driver that memtrace does not know, or does not follow.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "tests/programs/gpu_functions.h"

using namespace gpu;

int main() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* found = nullptr;
    int status = 0;
    auto* const init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
    printf("%d\n", init(0));
    auto* const get =
        reinterpret_cast<decltype(&cuGetProcAddress_v2)>(dlsym(library, "cuGetProcAddress_v2"));
    // A function of 32-bit programs, one of a driver to come, and one that does not exist.
    printf("%d\n", dlsym(library, "cuMemAlloc") != nullptr);
    printf("%d\n", dlsym(library, "cuMemAllocNowhere") != nullptr);
    printf("%d\n", get("cuMemAllocOfTomorrow", &found, 14000, 0, &status));
    DevicePointer address = 0;
    printf("%d\n", reinterpret_cast<int (*)(DevicePointer*, size_t)>(found)(&address, 100));
    printf("%d\n", get("cuMemAllocOfTomorrow", &found, 14000, 0, &status));
    printf("%d %d\n", get("cuNothing", &found, 12000, 0, &status), status);
    auto* const map =
        reinterpret_cast<int (*)(void*, unsigned, void*)>(dlsym(library, "cuMemMapArrayAsync"));
    errno = 77;
    printf("%d\n", map(nullptr, 0, nullptr));
    printf("errno %d\n", errno);
    return 0;
}
