// truth: allocations=100*3 frees=100*1 bytes=50*873 leaked_blocks=200 leaked_bytes=50*173
// run: scope=own
// Two plugins take turns at being loaded and unloaded; constructors and destructors allocate.
// A round of both: 300+11+70 and 400+12+80 bytes, with 11+70 and 12+80 never freed.
#include <dlfcn.h>

#include "support.h"

int main(int argc, char** argv) {
    (void)argc;
    char path[4096];
    for (int i = 0; i < 100; ++i) {
        strcpy(path, argv[0]);
        strcpy(strrchr(path, '/') + 1, i % 2 ? "lib_plugin_b.so" : "lib_plugin_a.so");
        void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        CHECK(plugin != NULL);
        void* (*plugin_block)(void) = (void* (*)(void))dlsym(plugin, "plugin_block");
        CHECK(plugin_block != NULL && plugin_block() != NULL);
        CHECK(dlclose(plugin) == 0);
    }
    say("done\n");
    return 0;
}
