// SPDX-License-Identifier: Apache-2.0
//
// A map for millions of pairs of numbers. The first number of a pair is dense, for example that of
// a stack node, and most of them have a few pairs only. So the pairs of a number are a chain:
//
//   heads    1  0  3  …         by first number: 1 + place of its newest pair; 0: it has none
//   pairs    (0, 17)  (0, 4)  (2, 17)  …
//              ▲────────┘ the pair before
//
// Compared to one hash table, a new pair of a new number costs no search, and pairs that come
// together lie together. What is more than a short chain holds is in a hash table after all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tsl/robin_map.h>

#include "analyzer/base/long_list.h"
#include "analyzer/base/number_hash.h"

namespace memtrace::analyzer {

template <class Value>
class PairMap {
public:
    size_t size() const { return pairs_.size(); }

    // Returns the value of the pair, and true if it is new. It is `value` then. The reference stays
    // valid.
    std::pair<Value&, bool> try_emplace(uint32_t first, uint32_t second, const Value& value) {
        heads_.grow_to(size_t{first} + 1);
        uint32_t& head = heads_[first];
        size_t length = 0;
        for (uint32_t place = head; place != 0; ++length) {
            Pair& pair = pairs_[place - 1];
            if (pair.second == second) return {pair.value, false};
            place = pair.before;
        }
        const auto next = static_cast<uint32_t>(pairs_.size());
        if (length < chain_max) {
            pairs_.push_back({second, head, value});
            head = next + 1;
            return {pairs_[next].value, true};
        }
        const auto [found, is_new] = others_.try_emplace(uint64_t{first} << 32 | second, next);
        if (is_new) pairs_.push_back({second, 0, value});
        return {pairs_[found->second].value, is_new};
    }

    // Calls visit(first, second, value) for all pairs.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (uint32_t first = 0; first < heads_.size(); ++first) {
            for (uint32_t place = heads_[first]; place != 0;) {
                const Pair& pair = pairs_[place - 1];
                visit(first, pair.second, pair.value);
                place = pair.before;
            }
        }
        for (const auto& [key, place] : others_) {
            visit(static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key),
                  pairs_[place].value);
        }
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.heads_, self.pairs_, self.others_);
        each.check([&] { return self.is_sound(); }, "a pair in it is not there");
    }
    // True if all values are smaller than this one.
    bool are_below(Value value) const {
        for (size_t i = 0; i < pairs_.size(); ++i) {
            if (pairs_[i].value >= value) return false;
        }
        return true;
    }

private:
    static constexpr size_t chain_max = 8;

    // Chains lead to earlier pairs, so they end.
    bool is_sound() const {
        bool is_sound = true;
        for (size_t i = 0; i < heads_.size(); ++i) is_sound &= heads_[i] <= pairs_.size();
        for (size_t i = 0; i < pairs_.size(); ++i) is_sound &= pairs_[i].before <= i;
        for (const auto& [key, place] : others_) is_sound &= place < pairs_.size();
        return is_sound;
    }

    struct Pair {
        uint32_t second;
        uint32_t before;  // 1 + place of the pair before in the chain; 0: it is the first
        Value value;
    };
    LongList<uint32_t> heads_;
    LongList<Pair> pairs_;
    tsl::robin_map<uint64_t, uint32_t, NumberHash> others_;  // places
};

}  // namespace memtrace::analyzer
