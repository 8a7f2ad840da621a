// SPDX-License-Identifier: Apache-2.0
//
// The holders of GPU memory: the rules that turn the recorded driver calls into bytes of spaces.
// No byte is counted in two spaces.
//
//   device, array        bytes of "device:N", from the call to its release
//   physical             the same, as long as it has references or mappings (gpu_physical.h)
//   pooled               the same; the pool may hold more (gpu_card.h)
//   graph                nothing: the driver reports what graphs hold (GpuPool of kind graph)
//   managed              bytes of "managed": they are wherever they were last used
//   pinned, physical_host   bytes of "pinned": memory of the host
//   registered           nothing: it was memory of the host before
//   imported             nothing: it belongs to another process or interface
//   reserved             nothing: addresses without memory
//
// When a context is destroyed, all memory acquired in it is gone, except physical memory, which
// belongs to the device. The records contradict each other in two cases. Either a live address is
// acquired and no release explains it (gpu_late_release.h), or an address is released that is not
// live. Then some event was not recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <tsl/robin_map.h>

#include "analyzer/gpu/gpu_card.h"
#include "analyzer/gpu/gpu_late_release.h"
#include "analyzer/gpu/gpu_physical.h"
#include "analyzer/gpu/gpu_space.h"
#include "analyzer/model/gpu_model.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/spaces/heap_space.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class GpuLedger {
public:
    using Fault = HeapSpace::Fault;

    // `is_allocator(stack)`: true if PyTorch cuts memory acquired with this stack into blocks.
    explicit GpuLedger(std::function<bool(uint32_t)> is_allocator)
        : is_allocator_(std::move(is_allocator)) {}

    void observe(PhaseObserver& phases);

    Fault acquire(const GpuAcquire& record, const GpuCaller& by);
    Fault release(const GpuRelease& record, const GpuCaller& by);
    Fault retain(const GpuRetain& record);
    Fault map(const GpuMap& record, const GpuCaller& by);
    Fault unmap(const GpuUnmap& record, const GpuCaller& by);
    void change_context(const GpuContext& record, const GpuCaller& by);
    void add_overhead(const GpuOverhead& record);
    void set_pool(const GpuPool& record);
    void mark(uint64_t time);
    // Nothing was recorded for a while.
    void pass_gap() { gaps_ += 1; }

    GpuCard& card(uint32_t number);
    std::map<uint32_t, GpuCard>& cards() { return cards_; }
    GpuSpace& pinned() { return pinned_; }
    GpuSpace& managed() { return managed_; }

    template <class Each>
    void for_each_space(Each&& each) {
        for (auto& [number, card] : cards_) each(card.space());
        each(pinned_);
        each(managed_);
    }
    // Keeps the histories of all spaces, also of those that appear later.
    void keep_history(RunHistory& run);
    // Adds everything that is held to the histories (SpaceCounter::add_birth).
    void count_births();

    // Calls each(address, time, lane) for acquisitions of live memory that no release has
    // explained.
    template <class Each>
    void for_each_overtaken(Each&& each) const {
        overtaken_.for_each(each);
        physical_.for_each_overtaken(each);
    }

    // Returns memory without bytes of its own and the counts of frees by contexts. Only these
    // fields of the result are set.
    const GpuInfo& info() const { return info_; }

    // False if memory in it belongs to no call site.
    bool is_sound();

    // archive.h. The cards must be there.
    static void state(auto& self, auto& each) {
        for (auto& [number, card] : self.cards_) each(card);
        each(self.pinned_, self.managed_, self.blocks_, self.physical_, self.overtaken_,
             self.is_segment_, self.info_, self.gaps_);
    }

private:
    struct Block {
        GpuMemory memory = GpuMemory::unknown;
        uint32_t device = 0;
        uint64_t size = 0;
        uint64_t context = 0;
        uint64_t pool = 0;
        uint64_t opened = 1;  // imported: number of times that it was opened
        uint64_t since = 0;   // time of the acquisition
        GpuHolding holding;
    };

    static bool is_of_device(GpuMemory memory);
    GpuHolding hold(const GpuAcquire& record, const GpuCaller& by);
    GpuSpace& space_of(GpuMemory memory, uint32_t device);
    void give_back(GpuMemory memory, uint32_t device, const GpuHolding& holding, uint64_t time,
                   uint32_t thread);
    GpuAside* aside_of(GpuMemory memory);
    Fault acquire_handle(const GpuAcquire& record, const GpuCaller& by);
    void end_block(uint64_t address, const Block& block, uint64_t time, uint32_t thread);
    void end(const GpuPhysical::Ended& ended, uint64_t time, uint32_t thread);

    std::function<bool(uint32_t)> is_allocator_;
    PhaseObserver* phases_ = nullptr;
    RunHistory* history_ = nullptr;
    std::map<uint32_t, GpuCard> cards_;
    GpuSpace pinned_{"pinned"};
    GpuSpace managed_{"managed"};
    tsl::robin_map<uint64_t, Block> blocks_;  // by address
    GpuPhysical physical_;
    GpuLateRelease overtaken_;
    tsl::robin_map<uint64_t, bool> is_segment_;  // by handle of physical memory
    GpuInfo info_;
    uint32_t gaps_ = 0;
};

}  // namespace memtrace::analyzer
