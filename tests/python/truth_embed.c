// SPDX-License-Identifier: Apache-2.0
//
// A program with Python inside: truth_embed LIBPYTHON local|global|linked SCRIPT ROUNDS
//
// Loads the interpreter's library (linked: it is loaded from the start), starts and ends the
// interpreter ROUNDS times, and each time runs SCRIPT. SCRIPT makes its allocations by the audit
// event "truth": sys.audit("truth", size). Finally it unloads the library and goes on allocating.
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*Hook)(const char* event, void* arguments, void* data);

static void* (*item_of)(void* tuple, long index);
static size_t (*size_of)(void* number);

static int hook(const char* event, void* arguments, void* data) {
    (void)data;
    if (strcmp(event, "truth") != 0) return 0;
    free(memalign(64, size_of(item_of(arguments, 0))));
    return 0;
}

static void* find(void* library, const char* name) {
    void* const found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "truth_embed: %s\n", dlerror());
        exit(2);
    }
    return found;
}

static char* text_of(const char* path) {
    static char text[100000];
    FILE* const file = fopen(path, "r");
    if (file == NULL) exit(2);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

int main(int count, char** arguments) {
    if (count != 5) return 2;
    const int is_linked = strcmp(arguments[2], "linked") == 0;
    const int scope = strcmp(arguments[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    void* const python = dlopen(is_linked ? NULL : arguments[1], RTLD_NOW | scope);
    if (python == NULL) {
        fprintf(stderr, "truth_embed: %s\n", dlerror());
        return 2;
    }
    *(void**)&item_of = find(python, "PyTuple_GetItem");
    *(void**)&size_of = find(python, "PyLong_AsSize_t");
    void (*start)(int);
    int (*end)(void);
    int (*add_hook)(Hook, void*);
    int (*run)(const char*, void*);
    *(void**)&start = find(python, "Py_InitializeEx");
    *(void**)&end = find(python, "Py_FinalizeEx");
    *(void**)&add_hook = find(python, "PySys_AddAuditHook");
    *(void**)&run = find(python, "PyRun_SimpleStringFlags");
    const char* const script = text_of(arguments[3]);
    int failures = 0;
    for (int round = 1; round <= atoi(arguments[4]); ++round) {
        char number[40];
        snprintf(number, sizeof number, "ROUND = %d\n", round);
        start(0);
        failures += add_hook(hook, NULL) != 0;
        failures += run(number, NULL) != 0;
        failures += run(script, NULL) != 0;
        failures += end() != 0;
    }
    printf("%d failures\n", failures);
    usleep(50000);  // A joined thread may not have left the library yet.
    dlclose(python);
    for (int i = 0; i < 1000; ++i) free(malloc(100));
    return failures;
}
