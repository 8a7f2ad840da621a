/* What the programs nvtx_by_*.c do, however they reach NVTX's functions. Each block has a size of
 * its own, so the figures of a phase identify its blocks. Sizes are in the cases. */
#ifndef NVTX_STORY_H
#define NVTX_STORY_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char** environ;

static char* blocks[64];
static void take(int place, size_t size) { memset(blocks[place] = malloc(size), 1, size); }
static void give(int place) { free(blocks[place]); }

static nvtxEventAttributes_t event_of(int type) {
    nvtxEventAttributes_t event;
    memset(&event, 0, sizeof event);
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = type;
    return event;
}

static nvtxRangeId_t range;

static void* ends_range(void* unused) {
    nvtxRangeEnd(range);
    return unused;
}

static void nested(void) {
    printf("%d", nvtxRangePushA("outer"));
    take(1, 1000);
    nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_UNICODE);
    event.message.unicode = L"gr\u00f6\u00dfe \u20ac \U0001f600";
    nvtxRangePushEx(&event);
    take(2, 300);
    take(3, 40);
    give(2);
    int level = nvtxRangePop();
    give(1);
    take(4, 7);
    nvtxRangePop();
    printf(" %d\n", level);
    nvtxRangePop(); /* of nothing */
}

static void steps(void) {
    char name[32];
    for (int step = 0; step < 100; ++step) {
        snprintf(name, sizeof name, "step %d", step);
        nvtxRangePushA(name);
        take(5, 2000 + (size_t)step);
        if (step == 42) take(6, 11);
        give(5);
        nvtxRangePop();
    }
}

static void domains(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("app"), other = nvtxDomainCreateW(L"\u00fc");
    nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_REGISTERED);
    event.message.registered = nvtxDomainRegisterStringA(domain, "load");
    nvtxDomainRangePushEx(domain, &event);
    take(7, 50);
    nvtxEventAttributes_t inside = event_of(NVTX_MESSAGE_TYPE_REGISTERED);
    inside.message.registered = nvtxDomainRegisterStringW(other, L"\u00e4");
    nvtxDomainRangePushEx(other, &inside);
    take(8, 60);
    nvtxDomainRangePop(domain); /* each domain has a stack of its own */
    take(9, 70);
    nvtxDomainRangePop(other);
    nvtxEventAttributes_t plain = event_of(NVTX_MESSAGE_TYPE_ASCII);
    plain.message.ascii = "copy";
    nvtxRangeId_t copy = nvtxDomainRangeStartEx(domain, &plain);
    take(10, 80);
    nvtxDomainRangeEnd(domain, copy);
    nvtxDomainMarkEx(domain, &plain);
}

static void across_threads(void) {
    pthread_t thread;
    range = nvtxRangeStartA("request 1");
    nvtxRangeId_t second = nvtxRangeStartW(L"request 2");
    take(11, 90);
    pthread_create(&thread, NULL, ends_range, NULL);
    pthread_join(thread, NULL);
    take(12, 100);
    nvtxRangeEnd(second);
    nvtxRangeEnd(second); /* once more */
    nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_ASCII);
    event.message.ascii = "open";
    nvtxRangeStartEx(&event);
    nvtxMarkEx(&event);
    nvtxMarkA("narrow");
    nvtxMarkW(L"wide");
    nvtxRangePushW(L"pushed wide");
    nvtxRangePop();
}

static void* worker(void* place) {
    nvtxRangePushA("worker");
    take((int)(long)place, 4096);
    give((int)(long)place);
    nvtxRangePop();
    return NULL;
}

static void many_threads(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, worker, (void*)(20 + i));
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

int main(void) {
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    nested();
    steps();
    domains();
    across_threads();
    many_threads();
    for (char** variable = environ; *variable; ++variable) {
        if (!strncmp(*variable, "NVTX", 4)) printf("in the environment: %s\n", *variable);
    }
    return 0;
}

#endif
