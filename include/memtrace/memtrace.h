/* SPDX-License-Identifier: Apache-2.0
 *
 * For programs that want to say where they are: "epoch 3 begins". Reports then show peaks and leaks
 * by phase. The functions are weak: without the shim they are absent, and each call below costs one
 * test of a pointer. C and C++, header only; nothing has to be linked.
 *
 *     MEMTRACE_BEGIN("epoch 3");
 *     train();
 *     MEMTRACE_END("epoch 3");
 *     MEMTRACE_MARK("checkpoint written");
 *
 * The text is copied, up to 4096 bytes. May be called from any thread.
 */
#ifndef MEMTRACE_MEMTRACE_H
#define MEMTRACE_MEMTRACE_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void memtrace_mark(const char* text);
__attribute__((weak)) void memtrace_begin(const char* text);
__attribute__((weak)) void memtrace_end(const char* text);

#ifdef __cplusplus
}
#endif

#define MEMTRACE_MARK(text) ((void)(memtrace_mark ? (memtrace_mark(text), 0) : 0))
#define MEMTRACE_BEGIN(text) ((void)(memtrace_begin ? (memtrace_begin(text), 0) : 0))
#define MEMTRACE_END(text) ((void)(memtrace_end ? (memtrace_end(text), 0) : 0))

#endif
