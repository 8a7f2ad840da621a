/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks and phases for programs that state where they are, for example "epoch 3 begins". Reports
 * then show peaks and leaks by phase. This header is all that a program needs, in C and C++; there
 * is nothing to link. The functions are weak symbols. Without the shim they are absent, and each
 * macro below costs one test of a pointer.
 *
 *     MEMTRACE_BEGIN("epoch 3");
 *     train();
 *     MEMTRACE_END("epoch 3");
 *     MEMTRACE_MARK("checkpoint written");
 *
 * The text is a string that ends with a zero byte, or NULL for an empty text. Up to 4096 bytes of
 * it are copied; the rest is cut. Every function may be called from any thread. No function reports
 * an error: if a mark cannot be recorded, the program continues unchanged.
 */
#ifndef MEMTRACE_MEMTRACE_H
#define MEMTRACE_MEMTRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Marks a moment. */
__attribute__((weak)) void memtrace_mark(const char* text);
/* Begins a phase of the process. A name may be begun again while it is open. */
__attribute__((weak)) void memtrace_begin(const char* text);
/* Ends the last phase of this name, from any thread. An end without a begin has no effect. */
__attribute__((weak)) void memtrace_end(const char* text);

/* Searches now for blocks that nothing points to any more, and waits for the answer. Returns 1 if
 * some are lost, and 0 if none are or if no search was possible; the report says which. */
__attribute__((weak)) int memtrace_check_lost(void);

#ifdef __cplusplus
}
#endif

/* The same, safe to use without the shim. */
#define MEMTRACE_MARK(text) ((void)(memtrace_mark ? (memtrace_mark(text), 0) : 0))
#define MEMTRACE_BEGIN(text) ((void)(memtrace_begin ? (memtrace_begin(text), 0) : 0))
#define MEMTRACE_END(text) ((void)(memtrace_end ? (memtrace_end(text), 0) : 0))
#define MEMTRACE_CHECK_LOST() (memtrace_check_lost ? memtrace_check_lost() : 0)

#endif
