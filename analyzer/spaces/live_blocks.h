// SPDX-License-Identifier: Apache-2.0
//
// The heap blocks that are alive at this point of the replay, by address: the one structure whose
// size is the program's and not ours, touched by every event.
//
// With many live blocks nearly every look is a cache miss, and waiting for it is most of the whole
// replay. The stream knows the next few hundred events, so a look can be announced: soon() fetches
// the cache line while other events are at work. That is why this is a table of our own, open
// addressing with linear probing, two entries to a cache line: tsl::robin_map does not say where an
// entry will be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtrace::analyzer {

struct LiveBlock {
    uint64_t size = 0;
    uint64_t number = 0;  // of its acquisition: see space_observer.h
    uint32_t site = 0;
    uint32_t resizer = not_resizing;  // the lane that is resizing it right now
    static constexpr uint32_t not_resizing = 0xffffffff;
};

class LiveBlocks {
public:
    LiveBlocks() : entries_(size_t{1} << first_bits) {}

    size_t size() const { return count_; }

    // The block at this address, or nullptr. Valid until the next insert() or erase().
    LiveBlock* find(uint64_t address) {
        for (size_t place = home(address);; place = next(place)) {
            Entry& entry = entries_[place];
            if (entry.is_free()) return nullptr;
            if (entry.address == address) return &entry.block;
        }
    }

    // The block at this address if there is one already, else nullptr, and `block` is there now.
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

    // Removes what find() has just found.
    void erase(LiveBlock* block) {
        const auto* bytes = reinterpret_cast<const char*>(block) - offsetof(Entry, block);
        size_t hole = static_cast<size_t>(reinterpret_cast<const Entry*>(bytes) - entries_.data());
        count_ -= 1;
        // Closes the hole with the entries behind it that may move there.
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

    // This address will be looked for soon. Must be inlined, and its callers, too: g++ 12 drops
    // calls of a function that does nothing but fetch ahead.
    [[gnu::always_inline]] void soon(uint64_t address) const {
        __builtin_prefetch(&entries_[home(address)], 1);
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

    // Addresses are multiples of 16 and come in rows; the high bits of the product depend on all.
    size_t home(uint64_t address) const {
        return static_cast<size_t>(address * 0x9e3779b97f4a7c15u >> shift_);
    }
    size_t next(size_t place) const { return (place + 1) & (entries_.size() - 1); }

    void grow() {
        std::vector<Entry> old = std::move(entries_);
        entries_ = std::vector<Entry>(old.size() * 2);
        shift_ -= 1;
        count_ = 0;
        for (const Entry& entry : old) {
            if (!entry.is_free()) insert(entry.address, entry.block);
        }
    }

    std::vector<Entry> entries_;
    size_t count_ = 0;
    unsigned shift_ = 64 - first_bits;
};

}  // namespace memtrace::analyzer
