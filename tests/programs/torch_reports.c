// truth: oracle
// run: manual
// Reports that do not concern a block of a segment: of the host, of another kind of device, in the
// form of before PyTorch 1.12; by a library that is loaded, unloaded and loaded again.
#include <dlfcn.h>
#include <stdio.h>

#include "support.h"

typedef void report_function(void* block, int64_t size);
typedef void report_of_device(void* block, int64_t size, int index);
typedef void arrived_function(int64_t* bytes, uint64_t* reports, uint64_t* refusals);

static void* find(void* library, const char* name) {
    void* const found = dlsym(library, name);
    CHECK(found != NULL);
    return found;
}

static void report_with(const char* path, char* base) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    report_function* const host = find(library, "double_torch_report_host_memory");
    report_of_device* const other = find(library, "double_torch_report_other_device");
    report_of_device* const old_way = find(library, "double_torch_report_old_way");
    host(base, 100);
    host(base, -100);
    other(base + 0x1000, 700, 3);
    old_way(base + 0x2000, 512, 1);
    old_way(base + 0x2000, -512, 1);
    other(base + 0x1000, -700, 3);
    other(base + 0x3000, 900, 3);
    int64_t bytes;
    uint64_t reports, refusals;
    ((arrived_function*)find(library, "double_c10_arrived"))(&bytes, &reports, &refusals);
    printf("arrived: %ld bytes, %lu reports, %lu refusals\n", (long)bytes, (unsigned long)reports,
           (unsigned long)refusals);
    CHECK(dlclose(library) == 0);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    for (uintptr_t round = 1; round <= 3; ++round) report_with(argv[1], (char*)(round << 20));
    return 0;
}
