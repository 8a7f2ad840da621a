// SPDX-License-Identifier: Apache-2.0
//
// A hash table that is read without a lock, even by a signal handler, while threads write to it.
//
//   * A record stays in its chain forever. When its content is removed, the next content for this
//     chain reuses it. Nothing is unlinked or freed, so a reader can always follow the chain.
//   * `version` tells if a record is filled, and changes whenever that changes. A reader that finds
//     the same version before and after reading a record has read one consistent content.
//   * Nothing waits. A record that another thread is filling is skipped.
//
// Contents are atomics, loaded with acquire and stored with release. So a reader that sees any part
// of a new content also sees the version from before it.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/base/sys.h"

namespace memtrace::preload {

template <class Content, unsigned bucket_bits>
class LockFreeTable {
public:
    struct Record {
        std::atomic<uint64_t> version;  // count:62 state:2
        uint32_t number;                // index for at()
        uint32_t next;                  // next in its chain; 0 if none
        Content content;
    };

    static bool is_filled(uint64_t version) { return (version & 3) == filled; }

    // Returns a record in the chain of `hash` that only the caller may write to, or nullptr if
    // there is no memory.
    Record* take(uint64_t hash) {
        std::atomic<uint32_t>& head = heads_[hash & (buckets - 1)];
        for (uint32_t i = head.load(std::memory_order_acquire); i != 0; i = at(i).next) {
            std::atomic<uint64_t>& version = at(i).version;
            uint64_t seen = version.load(std::memory_order_relaxed);
            if ((seen & 3) != empty) continue;
            if (version.compare_exchange_strong(seen, seen + taken)) return &at(i);
        }
        const uint32_t number = next_number_.fetch_add(1, std::memory_order_relaxed);
        if (number >= numbers_max || !has_piece(number)) return nullptr;
        Record& record = at(number);
        record.version.store(taken, std::memory_order_relaxed);
        record.number = number;
        record.next = head.load(std::memory_order_relaxed);
        while (!head.compare_exchange_weak(record.next, number, std::memory_order_release)) {
        }
        return &record;
    }

    // Makes the record visible to readers.
    static void publish(Record& record) { record.version.fetch_add(filled - taken); }

    // Hides the record from readers and returns it to the caller. Returns false if another thread
    // was faster.
    static bool take_out(Record& record) {
        uint64_t version = record.version.load();
        return is_filled(version) &&
               record.version.compare_exchange_strong(version, version + 4 - filled + taken);
    }

    // Frees the record for other contents.
    static void give_back(Record& record) { record.version.fetch_add(4 - taken + empty); }

    // Calls look(record, version) for each filled record in the chain of `hash`. Other hashes may
    // share the chain.
    template <class Look>
    void for_each(uint64_t hash, Look look) {
        uint32_t i = heads_[hash & (buckets - 1)].load(std::memory_order_acquire);
        for (; i != 0; i = at(i).next) {
            const uint64_t version = at(i).version.load(std::memory_order_acquire);
            if (is_filled(version)) look(at(i), version);
        }
    }

    Record& at(uint32_t number) {
        return pieces_[number / of_a_piece].load(std::memory_order_acquire)[number % of_a_piece];
    }

    // Most records that were ever needed at once, or slightly more.
    uint32_t records() const { return next_number_.load(std::memory_order_relaxed) - 1; }

private:
    static constexpr uint64_t empty = 0, taken = 1, filled = 2;
    static constexpr uint64_t buckets = uint64_t{1} << bucket_bits;
    static constexpr uint32_t of_a_piece = 1024;
    static constexpr uint32_t pieces_max = 1u << 14;
    static constexpr uint32_t numbers_max = of_a_piece * pieces_max;

    bool has_piece(uint32_t number) {
        return sys::map_once(pieces_[number / of_a_piece], of_a_piece * sizeof(Record)) != nullptr;
    }

    std::atomic<uint32_t> heads_[buckets] = {};
    std::atomic<Record*> pieces_[pieces_max] = {};
    std::atomic<uint32_t> next_number_{1};
};

}  // namespace memtrace::preload
