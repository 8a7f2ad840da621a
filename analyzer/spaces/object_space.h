// SPDX-License-Identifier: Apache-2.0
//
// The space "python": small objects, which lie inside the interpreter's arenas. Their bytes are
// also bytes of mappings, so this space is a breakdown of mappings and is added to no total.
//
//   * If a sample was recorded, each block stands for several blocks (python_records.h). All
//     figures are then estimates, and `temporary` is not known.
//   * An interpreter that ends unmaps its arenas, and all objects left in them are gone.
//   * If the recording began late, was off for a while, or began again, unknown blocks are
//   released, and addresses are
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
    // The lane's acquisitions are a sample from now on, or a sparser one.
    void begin(const ObjectSample& record, uint32_t lane);

    // Objects may be gone from here on, or may have gone until here (SpaceCounter::doubt_all).
    void doubt_all(bool goes_on) {
        counter().doubt_all(goes_on);
        is_late_ = true;
    }

    // `arena_bytes`: bytes mapped for arenas at this moment. `backward`: 0 or left_out_bit.
    Fault acquire(const Acquire& record, uint32_t lane, uint32_t thread, uint64_t arena_bytes,
                  uint32_t backward = 0);
    Fault release(const Release& record, uint32_t thread);

    // Removes the objects in unmapped pages of arenas. Returns their number.
    uint64_t unmap(uint64_t begin, uint64_t end, uint32_t thread);

    [[gnu::always_inline]] void soon(uint64_t address) const {
        if (interval() == 0) heap_.soon(address);
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
    SpaceCounter& counter() { return heap_.counter(); }
    void forget_thread(uint32_t thread) { heap_.forget_thread(thread); }
    bool is_sound() const { return heap_.is_sound() && sample_.is_sound(); }
    bool is_late() const { return is_late_; }
    uint64_t interval() const { return sample_.intervals().longest(); }
    const SampledBlocks& sample() const { return sample_; }
    uint64_t cut_sizes() const { return sizes_.cut(); }
    uint64_t arena_bytes_at_peak() const { return arena_bytes_at_peak_; }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.heap_, self.sample_, self.pieces_, self.sizes_, self.arena_bytes_at_peak_,
             self.is_late_, self.has_begun_);
    }

private:
    // Live objects are counted per piece of 2^piece_bits bytes of addresses.
    static constexpr unsigned piece_bits = 16;
    // Objects begin at multiples of this number; in Python 3.7 and earlier the multiple is 8.
    static constexpr uint64_t alignment = 8;
    // Returns the pieces in [first, last] that have objects, in order.
    std::vector<uint64_t> used_pieces(uint64_t first, uint64_t last) const;
    bool has(uint64_t address) { return heap_.has(address) || sample_.has(address); }

    HeapSpace heap_{"python"};
    SampledBlocks sample_{heap_};
    // Number of live objects per piece of addresses.
    tsl::robin_map<uint64_t, uint64_t, NumberHash> pieces_;
    SizeBudget sizes_;
    uint64_t arena_bytes_at_peak_ = 0;
    bool is_late_ = false;
    bool has_begun_ = false;
};

}  // namespace memtrace::analyzer
