// SPDX-License-Identifier: Apache-2.0
//
// Memory for large tables that are read at random: zero until it is written, on huge pages where
// the system has them, and given back piece by piece. Without huge pages nearly every access also
// misses the processor's table of pages, and the first touch of each page is a trap.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace memtrace::analyzer {

// `size()` items whose bytes are zero at first, which must be a valid item. A page that was never
// written takes no memory. The constructor throws std::bad_alloc.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    explicit ZeroedArray(size_t size) : size_(size) {
        void* const memory = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        // A system without huge pages refuses, and everything works as before.
        madvise(memory, size * sizeof(T), MADV_HUGEPAGE);
        items_ = static_cast<T*>(memory);
    }
    ZeroedArray(ZeroedArray&& other) noexcept
        : items_(std::exchange(other.items_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    ZeroedArray& operator=(ZeroedArray&& other) noexcept {
        std::swap(items_, other.items_);
        std::swap(size_, other.size_);
        return *this;
    }
    ZeroedArray(const ZeroedArray&) = delete;
    ZeroedArray& operator=(const ZeroedArray&) = delete;
    ~ZeroedArray() {
        if (items_ != nullptr) munmap(items_, size_ * sizeof(T));
    }

    size_t size() const { return size_; }
    T* data() { return items_; }
    const T* data() const { return items_; }
    T& operator[](size_t place) { return items_[place]; }
    const T& operator[](size_t place) const { return items_[place]; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }
    const T* begin() const { return items_; }
    const T* end() const { return items_ + size_; }

    // Gives back the huge pages that lie wholly in the items [begin, end), which are zero again. A
    // part of a huge page would be given back only when the system is short of memory.
    void give_back(size_t begin, size_t end) {
        const uintptr_t from = (address(begin) + huge_page - 1) / huge_page * huge_page;
        const uintptr_t to = address(end) / huge_page * huge_page;
        if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    }

private:
    static constexpr uintptr_t huge_page = uintptr_t{1} << 21;  // of x86-64; elsewhere not smaller

    uintptr_t address(size_t place) const { return reinterpret_cast<uintptr_t>(items_ + place); }

    T* items_ = nullptr;
    size_t size_ = 0;
};

}  // namespace memtrace::analyzer
