/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for NVIDIA's header of NVTX 3, as far as the stories need it: the same names, and the
 * way in which a copy of NVTX reaches its tool. The first call loads the library that
 * NVTX_INJECTION64_PATH names, and its InitializeInjectionNvtx2() may put functions into the tables
 * here. Without a tool all calls do nothing, and return what NVIDIA's do then.
 */
#ifndef MEMTRACE_NVTX_COPY_H
#define MEMTRACE_NVTX_COPY_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#ifndef NVTX_COPY_API
#define NVTX_COPY_API static __attribute__((unused))
#endif

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)
enum {
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
};

typedef struct nvtx_domain* nvtxDomainHandle_t;
typedef struct nvtx_string* nvtxStringHandle_t;
typedef uint64_t nvtxRangeId_t;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    uint64_t payload;
    int32_t messageType;
    union {
        const char* ascii;
        const wchar_t* unicode;
        nvtxStringHandle_t registered;
    } message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#ifdef NVTX_COPY_DECLARATIONS /* The functions are in a library. */
#define NVTX_COPY(module, id, result, name, parameters, arguments, otherwise) \
    result name parameters;
#else
typedef void (*nvtx_copy_function)(void);
static nvtx_copy_function nvtx_copy_core[16], nvtx_copy_core2[16];
static nvtx_copy_function* nvtx_copy_core_places[17];
static nvtx_copy_function* nvtx_copy_core2_places[17];

static int nvtx_copy_table(int module, nvtx_copy_function*** table, unsigned* size) {
    if (module != 1 && module != 5) return 0;
    for (int i = 1; i < 16; ++i) {
        nvtx_copy_core_places[i] = &nvtx_copy_core[i];
        nvtx_copy_core2_places[i] = &nvtx_copy_core2[i];
    }
    *table = module == 1 ? nvtx_copy_core_places : nvtx_copy_core2_places;
    *size = 16;
    return 1;
}

static __attribute__((unused)) const void* nvtx_copy_tables(uint32_t which) {
    static const struct {
        size_t size;
        int (*table)(int, nvtx_copy_function***, unsigned*);
    } callbacks = {sizeof callbacks, nvtx_copy_table};
    return which == 1 ? &callbacks : NULL;
}

static void nvtx_copy_look_for_tool(void) {
#ifndef NVTX_COPY_WITHOUT_TOOLS
    const char* path = getenv("NVTX_INJECTION64_PATH");
    void* tool = path ? dlopen(path, RTLD_LAZY) : NULL;
    void* door = tool ? dlsym(tool, "InitializeInjectionNvtx2") : NULL;
    if (door) ((int (*)(const void* (*)(uint32_t)))door)(nvtx_copy_tables);
#endif
}

static nvtx_copy_function nvtx_copy_at(nvtx_copy_function* place) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, nvtx_copy_look_for_tool);
    return *place;
}

#define NVTX_COPY(module, id, result, name, parameters, arguments, otherwise) \
    NVTX_COPY_API result name parameters {                                    \
        nvtx_copy_function found = nvtx_copy_at(&nvtx_copy_##module[id]);     \
        if (found) return ((result(*) parameters)found)arguments;             \
        return otherwise;                                                     \
    }
#endif
#define NOTHING (void)0
NVTX_COPY(core, 1, void, nvtxMarkEx, (const nvtxEventAttributes_t* event), (event), NOTHING)
NVTX_COPY(core, 2, void, nvtxMarkA, (const char* text), (text), NOTHING)
NVTX_COPY(core, 3, void, nvtxMarkW, (const wchar_t* text), (text), NOTHING)
NVTX_COPY(core, 4, nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t* event), (event),
          0)
NVTX_COPY(core, 5, nvtxRangeId_t, nvtxRangeStartA, (const char* text), (text), 0)
NVTX_COPY(core, 6, nvtxRangeId_t, nvtxRangeStartW, (const wchar_t* text), (text), 0)
NVTX_COPY(core, 7, void, nvtxRangeEnd, (nvtxRangeId_t id), (id), NOTHING)
NVTX_COPY(core, 8, int, nvtxRangePushEx, (const nvtxEventAttributes_t* event), (event),
          NVTX_NO_PUSH_POP_TRACKING)
NVTX_COPY(core, 9, int, nvtxRangePushA, (const char* text), (text), NVTX_NO_PUSH_POP_TRACKING)
NVTX_COPY(core, 10, int, nvtxRangePushW, (const wchar_t* text), (text), NVTX_NO_PUSH_POP_TRACKING)
NVTX_COPY(core, 11, int, nvtxRangePop, (void), (), NVTX_NO_PUSH_POP_TRACKING)
NVTX_COPY(core2, 1, void, nvtxDomainMarkEx,
          (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event), (domain, event), NOTHING)
NVTX_COPY(core2, 2, nvtxRangeId_t, nvtxDomainRangeStartEx,
          (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event), (domain, event), 0)
NVTX_COPY(core2, 3, void, nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id),
          (domain, id), NOTHING)
NVTX_COPY(core2, 4, int, nvtxDomainRangePushEx,
          (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event), (domain, event),
          NVTX_NO_PUSH_POP_TRACKING)
NVTX_COPY(core2, 5, int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), (domain),
          NVTX_NO_PUSH_POP_TRACKING)
NVTX_COPY(core2, 10, nvtxStringHandle_t, nvtxDomainRegisterStringA,
          (nvtxDomainHandle_t domain, const char* text), (domain, text), NULL)
NVTX_COPY(core2, 11, nvtxStringHandle_t, nvtxDomainRegisterStringW,
          (nvtxDomainHandle_t domain, const wchar_t* text), (domain, text), NULL)
NVTX_COPY(core2, 12, nvtxDomainHandle_t, nvtxDomainCreateA, (const char* text), (text), NULL)
NVTX_COPY(core2, 13, nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t* text), (text), NULL)

#endif
