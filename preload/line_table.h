// SPDX-License-Identifier: Apache-2.0
//
// A small table that only its thread uses: each line has one place by its hash, and who comes later
// overwrites. For what can be found again elsewhere, only not as fast.
//
// It is small as long as that does. A program that starts up meets new things only, and a larger
// table would not find them either; it grows large where it is asked again and again for what was
// overwritten.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "preload/sys.h"

namespace memtrace::preload {

template <class Line>
class LineTable {
public:
    static_assert(sizeof(Line) % 64 == 0 && alignof(Line) % 64 == 0);
    static constexpr unsigned bits_first = 6;
    static constexpr unsigned bits_small = 10;
    static constexpr unsigned bits_max = 17;

    // False: there is no memory, and so no line.
    bool has_lines() { return lines_ != nullptr || grow(0); }

    // The place for a hash whose upper bits are mixed well.
    uint32_t place_of(uint64_t hash) const { return static_cast<uint32_t>(hash >> shift_); }

    // Any number is some line: a place that was right before the table grew is merely another one.
    Line& operator[](uint32_t place) { return lines_[place & mask_]; }

    // Begins to load a line that will be wanted soon.
    void prefetch(uint32_t place) {
        const char* line = reinterpret_cast<const char*>(&(*this)[place]);
        for (size_t i = 0; i < sizeof(Line); i += 64) __builtin_prefetch(line + i);
    }

    // After a line has been written. May move the table: what was in it is gone then. `is_back`: it
    // is about something that was known, and has been overwritten since. `uses`: how often the
    // table was asked until now.
    void note_write(bool is_back, uint64_t uses) {
        if (bits_ < bits_small) {
            // As many as there are places have been written: many were overwritten.
            if (++written_ >> bits_ != 0) grow(uses);
            return;
        }
        written_ += is_back;
        if (written_ >> bits_ < writes_for_each_place || bits_ == bits_max) return;
        if (uses - uses_before_ < uses_for_each_write * written_) grow(uses);
        written_ = 0;
        uses_before_ = uses;
    }

    void clear() {
        if (lines_ != nullptr) std::memset(static_cast<void*>(lines_), 0, bytes());
        written_ = 0;
    }

    uint64_t bytes() const { return lines_ == nullptr ? 0 : sizeof(Line) << bits_; }

private:
    bool grow(uint64_t uses) {
        const unsigned larger = bits_ + 2 < bits_max ? bits_ + 2 : bits_max;
        const unsigned bits = lines_ == nullptr ? bits_first : larger;
        const uint64_t size = sizeof(Line) << bits;
        const bool is_allowed = take_from_budget(size);
        void* fresh = is_allowed ? sys::map_private_huge(size) : nullptr;
        if (fresh == nullptr) {
            if (is_allowed) give_to_budget(size);
            written_ = 0;
            return lines_ != nullptr;
        }
        if (lines_ != nullptr) {
            give_to_budget(bytes());
            sys::unmap(lines_, bytes());
        }
        lines_ = static_cast<Line*>(fresh);
        bits_ = bits;
        shift_ = 64 - bits;
        mask_ = (uint32_t{1} << bits) - 1;
        written_ = 0;
        uses_before_ = uses;
        return true;
    }

    // With more than one in so many asked for in vain, a larger table pays. It is looked at for so
    // long that a moment in which the program does something else does not count.
    static constexpr uint64_t uses_for_each_write = 4;
    static constexpr uint32_t writes_for_each_place = 4;

    // Every thread may have a small table. Larger ones are for the few threads that do most of the
    // work, and all of those together have so much.
    static constexpr uint64_t free_bytes_max = sizeof(Line) << bits_small;
    static constexpr uint64_t budget_bytes = uint64_t{16} << 20;
    static inline std::atomic<uint64_t> budget_used{0};

    static bool take_from_budget(uint64_t size) {
        if (size <= free_bytes_max) return true;
        if (budget_used.fetch_add(size, std::memory_order_relaxed) + size <= budget_bytes) {
            return true;
        }
        give_to_budget(size);
        return false;
    }

    static void give_to_budget(uint64_t size) {
        if (size > free_bytes_max) budget_used.fetch_sub(size, std::memory_order_relaxed);
    }

    Line*    lines_ = nullptr;
    unsigned bits_ = 0;
    unsigned shift_ = 63;
    uint32_t mask_ = 0;
    uint32_t written_ = 0;
    uint64_t uses_before_ = 0;
};

}  // namespace memtrace::preload
