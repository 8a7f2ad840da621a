// An allocator like tcmalloc: one piece of code is both free() and C++'s operator delete.
#include <stddef.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void __libc_free(void* block);

void* malloc(size_t size) { return __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
void* realloc(void* block, size_t size) { return __libc_realloc(block, size); }
void free(void* block) { __libc_free(block); }
void _ZdlPv(void* block) __attribute__((alias("free")));
