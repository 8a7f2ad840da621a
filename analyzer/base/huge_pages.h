// SPDX-License-Identifier: Apache-2.0
//
// An allocator for large tables that are read at random. Without huge pages nearly every access
// also misses the processor's table of pages, and the first touch of each page is a trap.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace memtrace::analyzer {

template <class T>
struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U>&) {}

    T* allocate(size_t count) {
        const size_t bytes = count * sizeof(T);
        if (bytes < huge_page) return static_cast<T*>(::operator new(bytes));
        const size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
        void* const memory = std::aligned_alloc(huge_page, whole);
        if (memory == nullptr) throw std::bad_alloc();
        // A system without huge pages refuses, and everything works as before.
        madvise(memory, whole, MADV_HUGEPAGE);
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t count) {
        if (count * sizeof(T) < huge_page) ::operator delete(memory);
        else std::free(memory);
    }

    bool operator==(const HugePages&) const { return true; }

private:
    static constexpr size_t huge_page = size_t{1} << 21;  // of x86-64; elsewhere larger or equal
};

}  // namespace memtrace::analyzer
