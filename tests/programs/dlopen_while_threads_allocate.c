// truth: allocations=81200 frees=80400 bytes=80000*64+400*381 leaked_blocks=800 leaked_bytes=400*81
// run: scope=own
// Threads allocate while another loads and unloads a library: no thread waits for another's lock.
#include <dlfcn.h>

#include "support.h"

static void* allocate(void* nothing) {
    for (int i = 0; i < 20000; ++i) {
        char* block = malloc(64);
        CHECK(block != NULL);
        block[0] = 1;
        free(block);
    }
    return nothing;
}

int main(int argc, char** argv) {
    (void)argc;
    char path[4096];
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "lib_plugin_a.so");
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, allocate, NULL) == 0);
    for (int i = 0; i < 400; ++i) {
        void* plugin = dlopen(path, RTLD_NOW);
        CHECK(plugin != NULL);
        void* (*plugin_block)(void) = (void* (*)(void))dlsym(plugin, "plugin_block");
        CHECK(plugin_block() != NULL);
        CHECK(dlclose(plugin) == 0);
    }
    for (int i = 0; i < 4; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    say("done\n");
    return 0;
}
