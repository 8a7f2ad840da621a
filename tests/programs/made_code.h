// Code that is made at run time, as a compiler in a program makes it: machine code of known frames,
// and the unwind tables for it, ready for __register_frame.
//
// A made function takes one argument, a step. It stores its return address there, and calls the
// next step. So a sequence of steps is a call stack that is known without any unwinder.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __cplusplus
extern "C" {
#endif
void __register_frame(void* begin);
void __deregister_frame(void* begin);
#ifdef __cplusplus
}
#endif

struct made_step {
    void (*run)(void* step);
    uint64_t unused;
    struct made_step* next;
    void* return_address;
    void* return_slot;
    struct made_step* outer;  // the caller's; NULL for the program itself
};

// The register that the function saves, and then uses for something else; never as a frame pointer.
enum made_saves { made_saves_rbx = 3, made_saves_rbp = 6 };

enum { made_code_bytes = 48, made_tables_bytes = 80 };

// Returns memory that may be written and run, or NULL.
static inline unsigned char* made_region(size_t bytes) {
    void* region =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return region == MAP_FAILED ? NULL : (unsigned char*)region;
}

static inline unsigned char* made_put(unsigned char* at, const void* bytes, size_t count) {
    memcpy(at, bytes, count);
    return at + count;
}

static inline unsigned char* made_put_32(unsigned char* at, uint32_t number) {
    return made_put(at, &number, sizeof number);
}

// Writes the function: `frame_bytes`, a multiple of 16, lie between what it saves and its call.
static inline void make_code(unsigned char* code, enum made_saves saves, uint32_t frame_bytes) {
    static const unsigned char write_down[] = {0x48, 0x8b, 0x04, 0x24,   // mov (%rsp), %rax
                                               0x48, 0x89, 0x47, 0x18,   // mov %rax, 24(%rdi)
                                               0x48, 0x89, 0x67, 0x20};  // mov %rsp, 32(%rdi)
    static const unsigned char call_next[] = {0x48, 0x8b, 0x7f, 0x10,    // mov 16(%rdi), %rdi
                                              0xff, 0x17};               // call *(%rdi)
    const int is_rbp = saves == made_saves_rbp;
    unsigned char* at = made_put(code, write_down, sizeof write_down);
    *at++ = is_rbp ? 0x55 : 0x53;                                    // push
    at = made_put_32(made_put(at, "\x48\x81\xec", 3), frame_bytes);  // sub $…, %rsp
    at = made_put(at, is_rbp ? "\x31\xed" : "\x31\xdb", 2);          // xor of it with itself
    at = made_put(at, call_next, sizeof call_next);
    at = made_put_32(made_put(at, "\x48\x81\xc4", 3), frame_bytes);  // add $…, %rsp
    *at++ = is_rbp ? 0x5d : 0x5b;                                    // pop
    *at++ = 0xc3;                                                    // ret
}

static inline unsigned char* made_put_leb(unsigned char* at, uint32_t number) {
    for (; number >= 0x80; number >>= 7) *at++ = (unsigned char)(number | 0x80);
    *at++ = (unsigned char)number;
    return at;
}

// Ends a CIE or FDE: pads it, and writes its length in front.
static inline unsigned char* made_end_piece(unsigned char* piece, unsigned char* at) {
    while ((at - piece) % 8 != 0) *at++ = 0;
    made_put_32(piece, (uint32_t)(at - piece - 4));
    return at;
}

// Writes the tables of that function: one CIE, one FDE and the zero that ends them.
static inline void make_tables(unsigned char* tables, const unsigned char* code,
                               enum made_saves saves, uint32_t frame_bytes) {
    // Version 1, "zR", alignments 1 and -8, return column 16, pointers absolute; CFA = rsp + 8, the
    // return address at CFA - 8.
    static const unsigned char common[] = {0,    0,  0, 0, 1,    'z', 'R', 0,    1,
                                           0x78, 16, 1, 0, 0x0c, 7,   8,   0x90, 1};
    unsigned char* at = made_end_piece(tables, made_put(tables + 4, common, sizeof common));
    unsigned char* entry = at;
    const uint64_t range[] = {(uint64_t)code, made_code_bytes};
    at = made_put_32(at + 4, (uint32_t)(entry + 4 - tables));
    at = made_put(at, range, sizeof range);
    *at++ = 0;  // no augmentation data
    const unsigned char pushed[] = {0x40 | 13, 0x0e,     16,  (unsigned char)(0x80 | saves),
                                    2,         0x40 | 7, 0x0e};
    at = made_put_leb(made_put(at, pushed, sizeof pushed), 16 + frame_bytes);
    const unsigned char popped[] = {
        0x40 | 15, 0x0e, 16, 0x40 | 1, 0x0e, 8, (unsigned char)(0xc0 | saves)};
    at = made_end_piece(entry, made_put(at, popped, sizeof popped));
    made_put_32(at, 0);
}

static inline void (*made_function(unsigned char* code))(void*) {
    union {
        unsigned char* bytes;
        void (*function)(void*);
    } either;
    either.bytes = code;
    return either.function;
}
