// run: manual libraries=double-libcuda
// Calls functions that two preloaded libraries pass on by dlsym(RTLD_NEXT), and lets a library load
// another one from its own folder.
#include <dlfcn.h>
#include <stdio.h>

int cuDriverGetVersion(int* version);
int cuInit(unsigned flags);

int main(int count, char** arguments) {
    (void)count;
    int version = 0;
    puts("a line");
    printf("%d\n", cuInit(0));
    printf("%d\n", cuDriverGetVersion(&version));
    printf("%d\n", version);
    printf("%s\n", dlsym(RTLD_NEXT, "cuInit") != NULL ? "there" : "not there");
    printf("%s\n", dlvsym(RTLD_DEFAULT, "malloc", "GLIBC_2.2.5") != NULL ? "there" : "not there");
    void* library = dlopen(arguments[1], RTLD_NOW);
    void (*load)(void) = (void (*)(void))dlsym(library, "load_neighbour");
    load();
    return 0;
}
