// Loads a library by its name alone. It is found because this library's RUNPATH is $ORIGIN, and so
// only if the loader sees that the call comes from this library.
#include <dlfcn.h>
#include <stdio.h>

void load_neighbour(void) {
    void* neighbour = dlopen("lib_plugin_a.so", RTLD_NOW);
    printf("%s\n", neighbour != NULL ? "found beside" : dlerror());
    void* function = neighbour != NULL ? dlsym(neighbour, "cuMemAlloc_v2") : NULL;
    printf("%s\n", function != NULL ? "has a driver" : "has no driver");
}
