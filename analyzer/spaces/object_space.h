// SPDX-License-Identifier: Apache-2.0
//
// The space "python": small objects, which lie inside of the interpreter's arenas. Their bytes are
// those of mappings as well, so this space breaks mappings down and is added to nothing.
//
//   * Where a sample was recorded, each block stands for several (python_records.h): all figures
//     are estimates, and `temporary` is not known.
//   * An interpreter that ends unmaps its arenas, and whatever is left in them is gone.
//   * Where recording began late, or had to begin again, blocks are released that are not known,
//     and addresses are handed out again whose release was not seen. That is no contradiction.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/peak_tracker.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class ObjectSpace {
public:
    using Fault = HeapSpace::Fault;

    void begin(const PythonObjects& record);

    // `arena_bytes`: mapped for arenas at this moment.
    Fault acquire(const Acquire& record, uint32_t thread, uint64_t arena_bytes);
    Fault release(const Release& record, uint32_t thread);

    // Pages of arenas were unmapped. Returns how many objects were in them.
    uint64_t unmap(uint64_t begin, uint64_t end, uint32_t thread);

    [[gnu::always_inline]] void soon(uint64_t address) const {
        if (interval_ == 0) heap_.soon(address);
    }

    void end_slice(uint32_t slice) {
        heap_.end_slice(slice);
        sample_.end_slice(slice);
    }
    // When the last slice has ended.
    void count_births();
    void end_work() {
        heap_.counter().end_work();
        sample_.end_work();
    }

    SpaceCounter& counter() { return interval_ == 0 ? heap_.counter() : sample_; }
    void set_observer(SpaceObserver* observer) {
        for (SpaceCounter* counter : {&heap_.counter(), &sample_}) counter->set_observer(observer);
    }
    bool is_late() const { return is_late_; }
    uint64_t interval() const { return interval_; }
    uint64_t sampled() const { return sampled_; }
    uint64_t arena_bytes_at_peak() const { return arena_bytes_at_peak_; }

    // How many blocks a sampled one of `size` bytes stands for, on average: at least 1.
    static double weight_of(uint64_t size, uint64_t interval);

private:
    // So many bytes of addresses are counted together.
    static constexpr unsigned piece_bits = 16;
    // Objects begin at multiples of this: of 8 up to Python 3.7.
    static constexpr uint64_t alignment = 8;

    struct Sampled {
        uint64_t blocks;
        uint64_t bytes;
        uint32_t site;
        uint64_t number = 0;  // of its acquisition
    };

    Fault acquire_sampled(const Acquire& record);
    Fault release_sampled(uint64_t address);
    // A whole number of blocks: what is left over goes to the next one of that size.
    uint64_t whole_weight(uint64_t size);
    bool has(uint64_t address) {
        return interval_ == 0 ? heap_.has(address) : samples_.contains(address);
    }

    HeapSpace heap_{"python"};
    SpaceCounter sample_{"python"};
    tsl::robin_map<uint64_t, Sampled, NumberHash> samples_;
    tsl::robin_map<uint64_t, double, NumberHash> left_over_;  // by size
    tsl::robin_map<uint64_t, uint64_t, NumberHash> pieces_;   // objects that live there
    uint64_t interval_ = 0;
    uint64_t sampled_ = 0;
    uint64_t arena_bytes_at_peak_ = 0;
    bool is_late_ = false;
};

}  // namespace memtrace::analyzer
