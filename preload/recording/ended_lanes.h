// SPDX-License-Identifier: Apache-2.0
//
// The lanes that another thread can probably take over, because theirs has said that it ends, or
// has been seen to be gone. A hint: who takes one asks the kernel. A new thread finds one among
// thousands without asking about each.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace memtrace::preload {

class EndedLanes {
public:
    static constexpr uint32_t lanes_max = 1u << 16;

    void add(uint32_t lane) { word(lane).fetch_or(bit(lane), std::memory_order_release); }
    void remove(uint32_t lane) { word(lane).fetch_and(~bit(lane), std::memory_order_relaxed); }
    bool has(uint32_t lane) {
        return (word(lane).load(std::memory_order_relaxed) & bit(lane)) != 0;
    }

    void clear() {
        for (std::atomic<uint64_t>& each : words_) each.store(0, std::memory_order_relaxed);
    }

    // Calls take(lane) for those among the first `count` lanes, until it returns true. The search
    // begins at another place each time, so that threads do not crowd at the same lanes.
    template <class Take>
    bool find(uint32_t count, Take&& take) {
        const uint32_t words = (count + 63) / 64;
        if (words == 0) return false;
        const uint32_t start = start_.fetch_add(1, std::memory_order_relaxed);
        for (uint32_t i = 0; i < words; ++i) {
            const uint32_t place = (start + i) % words;
            uint64_t left = words_[place].load(std::memory_order_acquire);
            for (; left != 0; left &= left - 1) {
                const auto lane = place * 64 + static_cast<uint32_t>(std::countr_zero(left));
                if (take(lane)) return true;
            }
        }
        return false;
    }

private:
    std::atomic<uint64_t>& word(uint32_t lane) { return words_[lane % lanes_max / 64]; }
    static uint64_t bit(uint32_t lane) { return uint64_t{1} << (lane % 64); }

    std::atomic<uint32_t> start_{0};
    std::atomic<uint64_t> words_[lanes_max / 64] = {};
};

}  // namespace memtrace::preload
