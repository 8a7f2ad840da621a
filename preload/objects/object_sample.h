// SPDX-License-Identifier: Apache-2.0
//
// Which objects are in the sample. Of all bytes that are asked for each is chosen with the same
// chance, 1 in python_sample, and an object with such a byte is in it (python_records.h). The way
// from one chosen byte to the next has an exponential distribution, so a thread counts it down and
// most objects cost one subtraction.
//
// The end of an object is recorded if its beginning was: sampled objects stand in a table. Nearly
// all that are freed are not in it, which a few counters that stay in the cache say.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/base/thread_state.h"

namespace memtrace::preload {

class ObjectSample {
public:
    // False: there is no memory for the table.
    static bool start(uint64_t interval);

    // Whether an object of this size is in the sample; to be asked once for each.
    static bool takes(uint64_t size) {
        uint32_t& left = thread_state.to_sample;
        if (size < left) [[likely]] {
            left -= static_cast<uint32_t>(size);
            return false;
        }
        return takes_next(left, size);
    }

    // Takes the object into the table. False: there is no room.
    static bool add(uint64_t address);

    // Whether it may be in the table: a quick look.
    static bool may_have(uint64_t address) {
        return filter_[place_of(address, filter_bits)].load(std::memory_order_relaxed) != 0;
    }
    // Takes it out. False: it was not there.
    static bool remove(uint64_t address);
    static bool has(uint64_t address) { return find(address) != nullptr; }

    // The natural logarithm of 2^64 / random, exact to about 1e-5: exponentially distributed with
    // a mean of 1 if all values of `random` are equally likely.
    static double exponential(uint64_t random);

private:
    static bool takes_next(uint32_t& left, uint64_t size);
    static uint64_t next_random();
    static std::atomic<uint64_t>* find(uint64_t address);
    static uint64_t place_of(uint64_t address, unsigned bits) {
        return address * 0x9e3779b97f4a7c15u >> (64 - bits);
    }

    static constexpr unsigned filter_bits = 15;
    // Counters that have come so far stay there: nothing that is in the table may seem absent.
    static constexpr uint8_t count_max = 200;
    static constexpr uint64_t removed = 1;
    // Objects with the same place lie behind one another, up to so many.
    static constexpr unsigned probes_max = 64;

    static uint64_t interval_;
    static unsigned table_bits_;
    static std::atomic<uint64_t>* table_;  // addresses; 0: never used
    static std::atomic<uint8_t> filter_[1u << filter_bits];
};

}  // namespace memtrace::preload
