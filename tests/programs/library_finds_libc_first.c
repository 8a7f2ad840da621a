// truth: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// run: oracle=no scope=own not_covered=lib_plugin_a.so
// With RTLD_DEEPBIND a plugin finds libc's malloc and free before memtrace's, or any other's. Its
// calls are not recorded, and the report names it.
#include <dlfcn.h>

#include "support.h"

static void* kept;

int main(int argc, char** argv) {
    (void)argc;
    char path[4096];
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "lib_plugin_a.so");
    void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (plugin == NULL) skip("this libc loads nothing with RTLD_DEEPBIND");
    void* (*plugin_block)(void) = (void* (*)(void))dlsym(plugin, "plugin_block");
    CHECK(plugin_block != NULL && plugin_block() != NULL);
    kept = malloc(10);
    CHECK(kept != NULL);
#ifdef UNLOADS_ITS_PLUGIN
    CHECK(dlclose(plugin) == 0);
#endif
    say("done\n");
    return 0;
}
