/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for CUDA's driver, without a card: what a test may query and set.
 *
 * It hands out made-up addresses, counts what is taken and given back, and keeps a log in the words
 * of `memtrace-report text`, so a dump can be compared with it line by line. Environment:
 *
 *   CUDA_DOUBLE_LOG       where the log goes; ".<pid>" is appended
 *   CUDA_DOUBLE_DEVICES   number of devices (2)
 *   CUDA_DOUBLE_MEMORY    bytes of each (1 GiB)
 *   CUDA_DOUBLE_DRIVER    what cuDriverGetVersion() returns (13000)
 */
#ifndef MEMTRACE_TESTS_DOUBLE_OF_LIBCUDA_H
#define MEMTRACE_TESTS_DOUBLE_OF_LIBCUDA_H
#ifdef __cplusplus
extern "C" {
#endif

/* The next `count` calls of this function, by its exported name, end with this result. */
void double_fail(const char* function, int result, int count);

/* Each cuMemFree waits this long before it returns; the address is already free for others. */
void double_linger_after_free(unsigned microseconds);

/* What the process holds: of a device, pinned, managed. */
unsigned long long double_device_bytes(int device);
unsigned long long double_pinned_bytes(void);
unsigned long long double_managed_bytes(void);

/* Registers listeners for each call, before and after, and for what comes and goes: CUPTI's
 * stand-in. `result` is NULL before; `kept` belongs to the listener from the beginning of a call
 * to its end. */
typedef void (*DoubleCallListener)(const char* function, const void* arguments, const int* result,
                                   void* context, unsigned long long* kept);
typedef void (*DoubleResourceListener)(unsigned id, void* context, const void* about);
void double_listen(DoubleCallListener calls, DoubleResourceListener resources);

/* The device of a context, or -1. */
int double_device_of(void* context);

/* How often a function was called, by its exported name. */
unsigned long long double_calls(const char* function);

#ifdef __cplusplus
}
#endif
#endif
