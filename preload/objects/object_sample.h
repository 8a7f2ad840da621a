// SPDX-License-Identifier: Apache-2.0
//
// Decides which objects are in the sample. Every requested byte is chosen with the same chance, 1
// in python_sample. An object that contains a chosen byte is in the sample (python_records.h). The
// distance from one chosen byte to the next has an exponential distribution. So a thread counts it
// down, and most objects cost one subtraction.
//
// The end of an object is recorded if its beginning was, so the addresses of sampled objects are
// kept in a table. Nearly all freed objects are not in it. A few counters that stay in the CPU
// cache tell that.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/base/thread_state.h"

namespace memtrace::preload {

class ObjectSample {
public:
    // Returns false if there is no memory for the table.
    static bool start(uint64_t interval);

    // True if an object of this size is in the sample. Must be called once for each object.
    static bool takes(uint64_t size) {
        uint32_t& left = thread_state.to_sample;
        if (size < left) [[likely]] {
            left -= static_cast<uint32_t>(size);
            return false;
        }
        return takes_next(left, size);
    }

    // Adds the object to the table. Returns false if there is no room.
    static bool add(uint64_t address);

    // Quick check: false if the object is certainly not in the table.
    static bool may_have(uint64_t address) {
        return filter_[place_of(address, filter_bits)].load(std::memory_order_relaxed) != 0;
    }
    // Removes the object. Returns false if it was not in the table.
    static bool remove(uint64_t address);
    static bool has(uint64_t address) { return find(address) != nullptr; }

    // The natural logarithm of 2^64 / random, exact to about 1e-5. It is exponentially distributed
    // with a mean of 1 if all values of `random` are equally likely.
    static double exponential(uint64_t random);

private:
    static bool takes_next(uint32_t& left, uint64_t size);
    static uint64_t next_random();
    static std::atomic<uint64_t>* find(uint64_t address);
    static uint64_t place_of(uint64_t address, unsigned bits) {
        return address * 0x9e3779b97f4a7c15u >> (64 - bits);
    }

    static constexpr unsigned filter_bits = 15;
    // A counter that has reached this value stays there, so that no object in the table ever seems
    // absent.
    static constexpr uint8_t count_max = 200;
    static constexpr uint64_t removed = 1;
    // Objects with the same place are stored one after another, up to this many.
    static constexpr unsigned probes_max = 64;

    static uint64_t interval_;
    static unsigned table_bits_;
    static std::atomic<uint64_t>* table_;  // addresses; 0 if never used
    static std::atomic<uint8_t> filter_[1u << filter_bits];
};

}  // namespace memtrace::preload
