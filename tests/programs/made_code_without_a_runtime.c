// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// Start-up code as old compilers made it. It registers the program's own tables if there is a
// function that takes them, and there is none. Nothing may be loaded for that. When libgcc comes
// later, the removal of tables that it never received must not be passed on to it.
#include <dlfcn.h>

#include "support.h"

extern void __register_frame_info(const void* begin, void* object) __attribute__((weak));
extern void* __deregister_frame_info(const void* begin) __attribute__((weak));

// The section that the linker ends with a zero; here the first word is enough.
static const unsigned tables[] = {4, 0, 0};
static void* object[8];

__attribute__((constructor)) static void begin(void) {
    if (__register_frame_info != NULL) __register_frame_info(tables, object);
}

__attribute__((destructor)) static void end(void) {
    if (__deregister_frame_info != NULL) __deregister_frame_info(tables);
}

int main(void) {
    CHECK(dlopen("libgcc_s.so.1", RTLD_NOLOAD | RTLD_LAZY) == NULL);
    CHECK(dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_GLOBAL) != NULL);
    say("done\n");
    return 0;
}
