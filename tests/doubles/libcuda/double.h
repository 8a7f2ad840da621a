/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for CUDA's driver, without a card: what a test may ask of it, and tell it.
 *
 * It hands out made-up addresses, counts what is given and taken, and keeps a log in the words of
 * `memtrace-report text`, so that a dump can be held against it line by line. Environment:
 *
 *   CUDA_DOUBLE_LOG       where the log goes; ".<pid>" is appended
 *   CUDA_DOUBLE_DEVICES   how many devices there are (2)
 *   CUDA_DOUBLE_MEMORY    bytes of each (1 GiB)
 *   CUDA_DOUBLE_DRIVER    what cuDriverGetVersion() says (13000)
 */
#ifndef MEMTRACE_TESTS_DOUBLE_OF_LIBCUDA_H
#define MEMTRACE_TESTS_DOUBLE_OF_LIBCUDA_H
#ifdef __cplusplus
extern "C" {
#endif

/* The next `count` calls of this function, as it is exported, end with this result. */
void double_fail(const char* function, int result, int count);

/* Each cuMemFree waits so long before it returns, when the address is already free for others. */
void double_linger_after_free(unsigned microseconds);

/* What the process holds: of a device, pinned, managed. */
unsigned long long double_device_bytes(int device);
unsigned long long double_pinned_bytes(void);
unsigned long long double_managed_bytes(void);

/* Who wants to hear of each call, before and after, and of what comes and goes: CUPTI's stand-in.
 * `result` is NULL before; `kept` is the listener's from the beginning of a call to its end. */
typedef void (*DoubleCallListener)(const char* function, const void* arguments, const int* result,
                                   void* context, unsigned long long* kept);
typedef void (*DoubleResourceListener)(unsigned id, void* context, const void* about);
void double_listen(DoubleCallListener calls, DoubleResourceListener resources);

/* The device of a context, or -1. */
int double_device_of(void* context);

/* How often a function was called, as it is exported. */
unsigned long long double_calls(const char* function);

#ifdef __cplusplus
}
#endif
#endif
