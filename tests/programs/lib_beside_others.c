// Loads a library by its name alone: it is found because this one's RUNPATH is $ORIGIN, and so only
// if the loader knows that it is this one that asks.
#include <dlfcn.h>
#include <stdio.h>

void load_neighbour(void) {
    void* neighbour = dlopen("lib_plugin_a.so", RTLD_NOW);
    printf("%s\n", neighbour != NULL ? "found beside" : dlerror());
    void* function = neighbour != NULL ? dlsym(neighbour, "cuMemAlloc_v2") : NULL;
    printf("%s\n", function != NULL ? "has a driver" : "has no driver");
}
