// SPDX-License-Identifier: Apache-2.0
//
// The thread rule cache: the rules that one thread's walks needed, by return address. The rule
// cache of all threads is too large to stay in a processor's near caches.
//
// Rules lie in the order in which they were met, because the rules of a stack are mostly needed in
// that order again. Then the next rule is right behind the last, in the same cache line. Otherwise
// a small table of places leads to it.
#pragma once

#include <cstdint>
#include <cstring>

namespace memtrace::preload {

class ThreadRuleCache {
public:
    static constexpr unsigned bits = 12;
    static constexpr uint32_t rules_max = 1u << bits;
    static constexpr uint64_t bytes = rules_max * (sizeof(uint64_t) + sizeof(uint16_t));

    ThreadRuleCache() = default;
    // `room` must be `bytes` bytes of zeros, aligned for a word.
    explicit ThreadRuleCache(void* room)
        : words_(static_cast<uint64_t*>(room)),
          places_(reinterpret_cast<uint16_t*>(words_ + rules_max)) {}

    // Returns the number of the rule for the return address `pc`, or 0 if not known.
    uint16_t find(uint64_t pc) {
        uint32_t place = (last_ + 1) % rules_max;
        if (words_[place] >> 16 != pc) {
            place = places_[hash(pc)];
            if (words_[place] >> 16 != pc) return 0;
        }
        last_ = place;
        return static_cast<uint16_t>(words_[place]);
    }

    // Of two addresses with the same hash, the older is no longer found, except directly behind its
    // predecessor.
    void add(uint64_t pc, uint16_t number) {
        last_ = next_++ % rules_max;
        words_[last_] = pc << 16 | number;
        places_[hash(pc)] = static_cast<uint16_t>(last_);
    }

    [[gnu::noinline]] void clear() {
        std::memset(words_, 0, bytes);
        last_ = next_ = 0;
    }

private:
    static uint64_t hash(uint64_t pc) { return (pc * 0x9e3779b97f4a7c15u) >> (64 - bits); }

    uint64_t* words_ = nullptr;   // address:48 rule:16
    uint16_t* places_ = nullptr;  // of the words, by hash
    uint32_t last_ = 0;           // the place that was found last
    uint32_t next_ = 0;           // where the next rule is added
};

}  // namespace memtrace::preload
