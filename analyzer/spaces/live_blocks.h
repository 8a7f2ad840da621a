// SPDX-License-Identifier: Apache-2.0
//
// The heap blocks that are alive at this point of the replay, by address. This is the only
// structure that grows with the traced program's memory, and every event touches it.
//
// With many live blocks nearly every lookup is a cache miss, and waiting for these misses takes
// most of the replay. The stream has the next few hundred events at hand, so a lookup can be
// announced: soon() fetches the cache line while other events are processed. This requires a table
// that tells where an entry will be, which tsl::robin_map does not. So the table is written here:
// open addressing with linear probing, two entries per cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/huge_pages.h"

namespace memtrace::analyzer {

struct LiveBlock {
    uint64_t size = 0;
    uint64_t number = 0;  // number of its acquisition (space_observer.h)
    uint32_t site = 0;
    uint32_t resizer = not_resizing;  // the lane that is resizing the block
    static constexpr uint32_t not_resizing = 0xffffffff;
};

class LiveBlocks {
public:
    LiveBlocks() : entries_(size_t{1} << first_bits) {}

    size_t size() const { return count_; }

    // Returns the block at this address, or nullptr. Valid until the next insert() or erase().
    LiveBlock* find(uint64_t address) {
        for (size_t place = home(address);; place = next(place)) {
            Entry& entry = entries_[place];
            if (entry.is_free()) return nullptr;
            if (entry.address == address) return &entry.block;
        }
    }

    // Returns the block at this address if there is one. Otherwise inserts `block` and returns
    // nullptr.
    LiveBlock* insert(uint64_t address, const LiveBlock& block) {
        if (count_ * 8 >= entries_.size() * 5) grow();
        for (size_t place = home(address);; place = next(place)) {
            Entry& entry = entries_[place];
            if (entry.is_free()) {
                entry = {address, block};
                count_ += 1;
                return nullptr;
            }
            if (entry.address == address) return &entry.block;
        }
    }

    // Removes the block that find() has just returned.
    void erase(LiveBlock* block) {
        const auto* bytes = reinterpret_cast<const char*>(block) - offsetof(Entry, block);
        size_t hole = static_cast<size_t>(reinterpret_cast<const Entry*>(bytes) - entries_.data());
        count_ -= 1;
        // Closes the hole with the later entries that may move there.
        for (size_t place = next(hole);; place = next(place)) {
            Entry& entry = entries_[place];
            if (entry.is_free()) break;
            const size_t wants = home(entry.address);
            const bool stays =
                hole < place ? wants > hole && wants <= place : wants > hole || wants <= place;
            if (stays) continue;
            entries_[hole] = entry;
            hole = place;
        }
        entries_[hole] = Entry{};
    }

    // Prefetches the entry of an address that will be looked up soon. This function and its
    // callers must be inlined, because g++ 12 drops calls of a function that only prefetches.
    [[gnu::always_inline]] void soon(uint64_t address) const {
        __builtin_prefetch(&entries_[home(address)], 1);
    }

    // Returns the block at this address if it is where the search would begin, or nullptr.
    const LiveBlock* peek(uint64_t address) const {
        const Entry& entry = entries_[home(address)];
        return entry.address == address && !entry.is_free() ? &entry.block : nullptr;
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Entry& entry : entries_) {
            if (!entry.is_free()) visit(entry.address, entry.block);
        }
    }

private:
    static constexpr unsigned first_bits = 12;
    static constexpr uint32_t free_site = 0xffffffff;

    struct Entry {
        uint64_t address = 0;
        LiveBlock block = {0, 0, free_site, 0};
        bool is_free() const { return block.site == free_site; }
    };
    static_assert(sizeof(Entry) == 32);
    using Entries = std::vector<Entry, HugePages<Entry>>;

    // Addresses are multiples of 16 and often consecutive. The high bits of the product depend on
    // all bits of the address.
    size_t home(uint64_t address) const {
        return static_cast<size_t>(address * 0x9e3779b97f4a7c15u >> shift_);
    }
    size_t next(size_t place) const { return (place + 1) & (entries_.size() - 1); }

    void grow() {
        Entries old = std::move(entries_);
        entries_ = Entries(old.size() * 2);
        shift_ -= 1;
        count_ = 0;
        for (const Entry& entry : old) {
            if (!entry.is_free()) insert(entry.address, entry.block);
        }
    }

    Entries entries_;
    size_t count_ = 0;
    unsigned shift_ = 64 - first_bits;
};

}  // namespace memtrace::analyzer
