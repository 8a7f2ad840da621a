// SPDX-License-Identifier: Apache-2.0
//
// The space "python": small objects, which lie inside the interpreter's arenas. Their bytes are
// also bytes of mappings, so this space is a breakdown of mappings and is added to no total.
//
//   * If a sample was recorded, each block stands for several blocks (python_records.h). All
//     figures are then estimates, and `temporary` is not known.
//   * An interpreter that ends unmaps its arenas, and all objects left in them are gone.
//   * If the recording began late, or began again, unknown blocks are released, and addresses are
//     acquired again although their release was not recorded. That is not a contradiction.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/peak_tracker.h"
#include "analyzer/spaces/sampled_blocks.h"
#include "analyzer/spaces/size_budget.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class ObjectSpace {
public:
    using Fault = HeapSpace::Fault;

    void begin(const PythonObjects& record);

    // `arena_bytes`: bytes mapped for arenas at this moment. `backward`: 0 or left_out_bit.
    Fault acquire(const Acquire& record, uint32_t thread, uint64_t arena_bytes,
                  uint32_t backward = 0);
    Fault release(const Release& record, uint32_t thread);

    // Removes the objects in unmapped pages of arenas. Returns their number.
    uint64_t unmap(uint64_t begin, uint64_t end, uint32_t thread);

    [[gnu::always_inline]] void soon(uint64_t address) const {
        if (interval() == 0) heap_.soon(address);
    }

    // Calls each(counter) for the counters of objects that are all recorded, and of a sample.
    template <class Each>
    void for_each_counter(Each&& each) {
        each(heap_.counter());
        each(sample_.counter());
    }
    // Calls visit(address, size, stack) for each live object, unless only a sample is recorded.
    template <class Visit>
    void for_each_live(Visit&& visit) const {
        heap_.for_each_live(visit);
    }
    // True if every live object is known: all are recorded, from the first one on.
    bool has_all() const { return has_begun_ && interval() == 0 && !is_late_; }
    // Adds all live objects to the histories (SpaceCounter::add_birth).
    void count_births();
    void pass_half() {
        heap_.counter().pass_half();
        sample_.counter().pass_half();
    }
    void end_work() {
        heap_.counter().end_work();
        sample_.counter().end_work();
    }

    SpaceCounter& counter() { return interval() == 0 ? heap_.counter() : sample_.counter(); }
    void set_observer(SpaceObserver* observer) {
        heap_.counter().set_observer(observer);
        sample_.counter().set_observer(observer);
    }
    bool is_late() const { return is_late_; }
    uint64_t interval() const { return sample_.interval(); }
    uint64_t sampled() const { return sample_.sampled(); }
    uint64_t cut_sizes() const { return sizes_.cut(); }
    uint64_t arena_bytes_at_peak() const { return arena_bytes_at_peak_; }

private:
    // Live objects are counted per piece of 2^piece_bits bytes of addresses.
    static constexpr unsigned piece_bits = 16;
    // Objects begin at multiples of this number; in Python 3.7 and earlier the multiple is 8.
    static constexpr uint64_t alignment = 8;
    // Returns the pieces in [first, last] that have objects, in order.
    std::vector<uint64_t> used_pieces(uint64_t first, uint64_t last) const;
    bool has(uint64_t address) {
        return interval() == 0 ? heap_.has(address) : sample_.has(address);
    }

    HeapSpace heap_{"python"};
    SampledBlocks sample_{"python"};
    // Number of live objects per piece of addresses.
    tsl::robin_map<uint64_t, uint64_t, NumberHash> pieces_;
    SizeBudget sizes_;
    uint64_t arena_bytes_at_peak_ = 0;
    bool is_late_ = false;
    bool has_begun_ = false;
};

}  // namespace memtrace::analyzer
