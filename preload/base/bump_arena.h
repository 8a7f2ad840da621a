// SPDX-License-Identifier: Apache-2.0
//
// Memory of one thread that is taken piece by piece and released all at once. A piece is identified
// by its place, a number of two bytes, while a pointer would take eight.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/base/sys.h"

namespace memtrace::preload {

class BumpArena {
public:
    static constexpr uint64_t unit_bytes = 32;  // distance between places
    // Zeros lie at this place and stay there. They are large enough to stand for any item.
    static constexpr uint32_t no_place = 0;
    static constexpr uint64_t zero_bytes = 64;
    static constexpr uint32_t units_max = 1u << 16;
    // Units that every thread may take. A thread may take more only if that pays; all threads
    // together share a budget for it.
    static constexpr uint32_t units_min = (192u << 10) / unit_bytes;
    static constexpr uint32_t budget_units = 4 * units_max;

    // Returns false if there is no memory.
    bool prepare() {
        if (begin_ != nullptr) return true;
        begin_ = static_cast<char*>(sys::map_private(units_max * unit_bytes));
        limit_ = units_min;
        clear();
        return begin_ != nullptr;
    }
    bool is_there() const { return begin_ != nullptr; }

    // Returns a place for `bytes` bytes of any content, or no_place if there is no room.
    uint32_t take(uint64_t bytes) {
        const uint64_t units = (bytes + unit_bytes - 1) / unit_bytes;
        if (units > limit_ - used_) return no_place;
        const uint32_t place = used_;
        used_ += static_cast<uint32_t>(units);
        // Other threads read it occasionally.
        if (used_ > touched_) __atomic_store_n(&touched_, used_, __ATOMIC_RELAXED);
        return place;
    }

    template <class Item>
    Item& at(uint32_t place) const {
        static_assert(sizeof(Item) <= zero_bytes);
        return *reinterpret_cast<Item*>(begin_ + place * unit_bytes);
    }
    template <class Item>
    uint16_t place_of(const Item& item) const {
        const auto distance = reinterpret_cast<const char*>(&item) - begin_;
        return static_cast<uint16_t>(static_cast<uint64_t>(distance) / unit_bytes);
    }

    // Doubles the limit. Returns false if that exceeds the maximum or the budget.
    bool grow() {
        const uint32_t more = limit_ < units_max / 2 ? limit_ : units_max - limit_;
        if (more == 0) return false;
        if (budget_used.fetch_add(more, std::memory_order_relaxed) + more > budget_units) {
            budget_used.fetch_sub(more, std::memory_order_relaxed);
            return false;
        }
        limit_ += more;
        return true;
    }

    // Invalidates everything taken. The memory stays readable.
    void clear() {
        used_ = zero_bytes / unit_bytes;
        ++clears_;
    }
    uint32_t clears() const { return clears_; }

    // Most bytes that were ever in use. The process keeps that memory.
    uint64_t bytes() const { return __atomic_load_n(&touched_, __ATOMIC_RELAXED) * unit_bytes; }

private:
    static inline std::atomic<uint32_t> budget_used{0};

    char* begin_ = nullptr;
    uint32_t used_ = 0;  // in units, as are the members below
    uint32_t limit_ = 0;
    uint32_t touched_ = 0;
    uint32_t clears_ = 0;
};

}  // namespace memtrace::preload
