// SPDX-License-Identifier: Apache-2.0
//
// A table from 64-bit keys to small values, for millions of them, of which every event touches one.
//
// With many entries nearly every lookup is a cache miss, and waiting for these misses takes most of
// a replay. The stream has the next few hundred events at hand, so a lookup can be announced:
// soon() fetches the cache line while other events are processed. This requires a table that tells
// where an entry will be, which tsl::robin_map does not. So the table is written here: open
// addressing with linear probing.
//
// At most five in eight places are taken. A large table grows by a fifth, its entries keep their
// order, and what has moved is given back at once: so an entry takes at most twice its size, also
// while the table grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/spaces/zeroed_array.h"

namespace memtrace::analyzer {

// `Value` is trivially copyable, and its is_free() is true if its bytes are zero; no value that is
// inserted is free. `neighbours` keys that follow each other lie side by side (a power of two, at
// most 8): for keys that are used in their order.
template <class Value, size_t neighbours = 1>
class LargeTable {
public:
    LargeTable() : entries_(first_size) {}

    size_t size() const { return count_; }

    // Returns the value of this key, or nullptr. Valid until the next insert() or erase().
    Value* find(uint64_t key) {
        for (size_t place = home(key);; place = next(place)) {
            Entry& entry = entries_[place];
            if (entry.is_free()) return nullptr;
            if (entry.key == key) return &entry.value;
        }
    }

    // Returns the value of this key if there is one. Otherwise inserts `value` and returns nullptr.
    Value* insert(uint64_t key, const Value& value) {
        if (count_ * 8 >= entries_.size() * 5) grow();
        for (size_t place = home(key);; place = next(place)) {
            Entry& entry = entries_[place];
            if (entry.is_free()) {
                entry = {key, value};
                count_ += 1;
                return nullptr;
            }
            if (entry.key == key) return &entry.value;
        }
    }

    // Removes the value that find() has just returned.
    void erase(Value* value) {
        const auto* bytes = reinterpret_cast<const char*>(value) - offsetof(Entry, value);
        size_t hole = static_cast<size_t>(reinterpret_cast<const Entry*>(bytes) - entries_.data());
        count_ -= 1;
        // Closes the hole with the later entries that may move there.
        for (size_t place = next(hole);; place = next(place)) {
            Entry& entry = entries_[place];
            if (entry.is_free()) break;
            const size_t wants = home(entry.key);
            const bool stays =
                hole < place ? wants > hole && wants <= place : wants > hole || wants <= place;
            if (stays) continue;
            entries_[hole] = entry;
            hole = place;
        }
        entries_[hole] = Entry{};
    }

    // Prefetches the entry of a key that will be looked up soon. This function and its callers
    // must be inlined, because g++ 12 drops calls of a function that only prefetches.
    [[gnu::always_inline]] void soon(uint64_t key) const {
        __builtin_prefetch(&entries_[home(key)], 1);
    }

    // Returns the value of this key if it is where the search would begin, or nullptr.
    const Value* peek(uint64_t key) const {
        const Entry& entry = entries_[home(key)];
        return entry.key == key && !entry.is_free() ? &entry.value : nullptr;
    }

    // Calls visit(key, value) for each entry, in no order that means something.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Entry& entry : entries_) {
            if (!entry.is_free()) visit(entry.key, entry.value);
        }
    }
    template <class Visit>
    void for_each(Visit&& visit) {
        for (Entry& entry : entries_) {
            if (!entry.is_free()) visit(entry.key, entry.value);
        }
    }

    // archive.h
    static void state(auto& self, auto& each) {
        if constexpr (std::remove_reference_t<decltype(each)>::reads) {
            std::vector<Entry> entries;
            each(entries);
            self.reserve(entries.size());
            for (const Entry& entry : entries) self.insert(entry.key, entry.value);
        } else {
            std::vector<Entry> entries;
            self.for_each([&](uint64_t key, const Value& value) {
                entries.push_back({key, value});
            });
            // Neighbours in memory are alike, so they take less when they are packed.
            std::sort(entries.begin(), entries.end(),
                      [](const Entry& a, const Entry& b) { return a.key < b.key; });
            each(entries);
        }
    }

private:
    static constexpr size_t first_size = size_t{1} << 12;
    // From this size on, a table grows by a fifth, which costs time for moves. Smaller ones double.
    static constexpr size_t large = size_t{1} << 18;

    struct Entry {
        uint64_t key;
        Value value;
        bool is_free() const { return value.is_free(); }
    };

    // Makes room for so many entries.
    void reserve(size_t count) {
        if (count * 8 >= entries_.size() * 5) entries_ = ZeroedArray<Entry>((count / 5 + 1) * 16);
    }

    // Keys are multiples of 16, and often consecutive. The high bits of the product depend on all
    // bits of the key. They are the place as a fraction of the table's size.
    size_t home(uint64_t key) const {
        const uint64_t fraction = key / neighbours * 0x9e3779b97f4a7c15u;
        const auto place =
            static_cast<size_t>(static_cast<unsigned __int128>(fraction) * entries_.size() >> 64);
        return place / neighbours * neighbours + key % neighbours;
    }
    size_t next(size_t place) const { return place + 1 == entries_.size() ? 0 : place + 1; }

    // Homes keep their order in a table of another size, so the new table fills from its beginning
    // while the old one is given back from its own.
    void grow() {
        const size_t size = entries_.size();
        const size_t larger = size < large ? size * 2 : (size / 5 * 6 + 7) / 8 * 8;
        ZeroedArray<Entry> old = std::exchange(entries_, ZeroedArray<Entry>(larger));
        count_ = 0;
        const size_t piece = size / 64;
        for (size_t begin = 0; begin < size; begin += piece) {
            const size_t end = std::min(begin + piece, size);
            for (size_t place = begin; place < end; ++place) {
                const Entry& entry = old[place];
                if (!entry.is_free()) insert(entry.key, entry.value);
            }
            old.give_back(0, end);
        }
    }

    ZeroedArray<Entry> entries_;
    size_t count_ = 0;
};

}  // namespace memtrace::analyzer
