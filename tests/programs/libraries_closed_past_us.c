// truth: allocations=80 frees=0 bytes=40*150 leaked_blocks=80 leaked_bytes=40*150
// run: scope=own
// Two libraries take turns at one address, and are closed by libc's own dlclose(), which no hook
// sees. Each call into them comes from a place of its own: not only the library's address is new.
#include <dlfcn.h>
#include <link.h>

#include "support.h"

enum { turns = 80 };

// That many functions, each of which calls the function that it receives.
__asm__(
    ".text\n"
    ".balign 16\n"
    "places:\n"
    ".rept 80\n"
    "  .cfi_startproc\n"
    "  sub $8, %rsp\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  call *%rdi\n"
    "  add $8, %rsp\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  ret\n"
    "  .balign 16\n"
    "  .cfi_endproc\n"
    ".endr\n");
extern const char places[turns][16];

int main(int argc, char** argv) {
    (void)argc;
    void* libc = dlopen("libc.so.6", RTLD_NOW);
    if (libc == NULL) skip("there is no libc.so.6");
    int (*close_past_us)(void*) = (int (*)(void*))dlsym(libc, "dlclose");
    CHECK(close_past_us != NULL);
    char path[4096];
    uintptr_t last = 0;
    int met = 0;
    for (int i = 0; i < turns; ++i) {
        strcpy(path, argv[0]);
        strcpy(strrchr(path, '/') + 1, i % 2 ? "lib_quiet_b.so" : "lib_quiet_a.so");
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        CHECK(library != NULL);
        met += ((struct link_map*)library)->l_addr == last;
        last = ((struct link_map*)library)->l_addr;
        void* block = dlsym(library, i % 2 ? "quiet_b_block" : "quiet_a_block");
        CHECK(block != NULL && ((void* (*)(void*))places[i])(block) != NULL);
        CHECK(close_past_us(library) == 0);
    }
    if (met == 0) skip("no library came to where another one was");
    say("done\n");
    return 0;
}
