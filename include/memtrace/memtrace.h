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
 *
 * Programs use the macros, not the functions: in a program that is not position-independent
 * (-no-pie), the linker decides that a function which only its name refers to is absent.
 */
#ifndef MEMTRACE_MEMTRACE_H
#define MEMTRACE_MEMTRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Marks a moment. */
__attribute__((weak, used)) void memtrace_mark(const char* text);
/* Begins a phase of the process. A name may be begun again while it is open. */
__attribute__((weak, used)) void memtrace_begin(const char* text);
/* Ends the last phase of this name, from any thread. An end without a begin has no effect. */
__attribute__((weak, used)) void memtrace_end(const char* text);

/* Searches now for blocks that nothing points to any more, and waits for the answer. Returns 1 if
 * some are lost, and 0 if none are or if no search was possible; the report says which. */
__attribute__((weak, used)) int memtrace_check_lost(void);

/* For the macros below: the address of a function, or NULL if it is absent. Code that is not
 * position-independent uses addresses as constants. The linker then fills in 0 for a weak symbol
 * that nothing on its command line defines, and leaves nothing to the loader. An entry of the
 * global offset table is left to the loader, if the program refers to the symbol in no other way.
 * The linker's optimizer does not see this reference, so the functions are declared as used. */
#ifdef __cplusplus
#define MEMTRACE_INLINE_ inline __attribute__((__always_inline__))
#else
#define MEMTRACE_INLINE_ extern __inline__ __attribute__((__gnu_inline__, __always_inline__))
#endif
/* clang-format off */
#if defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__)
#define MEMTRACE_RETURN_ADDRESS_(function)                                                   \
    __typeof__(&function) memtrace_found_;                                                   \
    __asm__(".weak " #function "\n\t"                                                        \
            "mov{q} {" #function "@GOTPCREL(%%rip), %0|"                                     \
            "%0, QWORD PTR " #function "@GOTPCREL[rip]}"                                     \
            : "=r"(memtrace_found_));                                                        \
    return memtrace_found_
#else
#define MEMTRACE_RETURN_ADDRESS_(function) return function
#endif
/* clang-format on */
MEMTRACE_INLINE_ void (*memtrace_mark_address_(void))(const char*) {
    MEMTRACE_RETURN_ADDRESS_(memtrace_mark);
}
MEMTRACE_INLINE_ void (*memtrace_begin_address_(void))(const char*) {
    MEMTRACE_RETURN_ADDRESS_(memtrace_begin);
}
MEMTRACE_INLINE_ void (*memtrace_end_address_(void))(const char*) {
    MEMTRACE_RETURN_ADDRESS_(memtrace_end);
}
MEMTRACE_INLINE_ int (*memtrace_check_lost_address_(void))(void) {
    MEMTRACE_RETURN_ADDRESS_(memtrace_check_lost);
}
#undef MEMTRACE_RETURN_ADDRESS_
#undef MEMTRACE_INLINE_

#ifdef __cplusplus
}
#endif

/* The same, safe to use without the shim. */
#define MEMTRACE_CALL_(name, text) \
    ((void)(memtrace_##name##_address_() ? (memtrace_##name##_address_()(text), 0) : 0))
#define MEMTRACE_MARK(text) MEMTRACE_CALL_(mark, text)
#define MEMTRACE_BEGIN(text) MEMTRACE_CALL_(begin, text)
#define MEMTRACE_END(text) MEMTRACE_CALL_(end, text)
#define MEMTRACE_CHECK_LOST() \
    (memtrace_check_lost_address_() ? memtrace_check_lost_address_()() : 0)

#endif
