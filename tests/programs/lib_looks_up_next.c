// One of several preloaded libraries that each replace `puts` and pass it on to the next by
// dlsym(RTLD_NEXT), which the loader answers by the caller. Its own name is in OWN_NAME.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifndef OWN_NAME
#define OWN_NAME "first"
#endif

int puts(const char* text) {
    char line[200];
    snprintf(line, sizeof line, "%s, passed on by " OWN_NAME, text);
    int (*next)(const char*) = (int (*)(const char*))dlsym(RTLD_NEXT, "puts");
    return next(line);
}

// The same for a function of the driver: only libraries behind this one may be searched.
int cuDriverGetVersion(int* version) {
    int (*next)(int*) = (int (*)(int*))dlsym(RTLD_NEXT, "cuDriverGetVersion");
    if (next == NULL) return 34;
    const int result = next(version);
    *version += 1;
    return result;
}
