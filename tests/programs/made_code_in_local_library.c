// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: scope=own
// A program without C++ loads a library that has it, with local visibility: no other library can
// see its __register_frame. Exceptions pass through the code that it makes all the same.
#include <dlfcn.h>

#include "support.h"

int main(int argc, char** argv) {
    (void)argc;
    char path[4096];
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "lib_throws_through_made_code.so");
    CHECK(dlsym(RTLD_DEFAULT, "_Unwind_RaiseException") == NULL);
    for (int turn = 0; turn < 3; ++turn) {
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        CHECK(library != NULL);
        int (*thrown)(int) = (int (*)(int))dlsym(library, "thrown_through_made_code");
        CHECK(thrown != NULL && thrown(100) == 100 * 99 / 2);
        CHECK(dlclose(library) == 0);
    }
    say("caught them all\n");
    return 0;
}
