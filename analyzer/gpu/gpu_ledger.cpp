// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_ledger.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/base/enum_names.h"
#include "analyzer/model/gpu_facts.h"

namespace memtrace::analyzer {
namespace {

// True if `address` is a handle of physical memory and not an address.
bool names_handle(const GpuAcquire& record) {
    return record.memory == GpuMemory::physical || record.memory == GpuMemory::physical_host ||
           record.api == Api::cuMemImportFromShareableHandle ||
           record.api == Api::cuMulticastCreate;
}

// True for the calls of multicast objects. Such an object is bound to memory that its user keeps
// mapped, so the binding is not a reference.
bool is_multicast(Api api) {
    return api == Api::cuMulticastBindMem || api == Api::cuMulticastBindAddr ||
           api == Api::cuMulticastUnbind;
}

std::string label_of(GpuMemory memory) {
    const std::string_view word = word_of(memory);
    return std::string(word.empty() || memory == GpuMemory::unknown ? "other" : word);
}

}  // namespace

GpuCard& GpuLedger::card(uint32_t number) {
    const auto [entry, is_new] = cards_.try_emplace(number, number);
    if (is_new && phases_ != nullptr) {
        const std::string name = device_space(number);
        entry->second.space().counter().set_observer(phases_->observe(name));
    }
    if (is_new && history_ != nullptr) entry->second.space().counter().keep_history(*history_);
    return entry->second;
}

void GpuLedger::observe(PhaseObserver& phases) {
    phases_ = &phases;
    pinned_.counter().set_observer(phases.observe("pinned"));
    managed_.counter().set_observer(phases.observe("managed"));
}

void GpuLedger::keep_history(RunHistory& run) {
    history_ = &run;
    pinned_.counter().keep_history(run);
    managed_.counter().keep_history(run);
}

// Memory of an unknown kind counts as the device's, because it was taken from the driver.
bool GpuLedger::is_of_device(GpuMemory memory) {
    switch (memory) {
        case GpuMemory::managed:
        case GpuMemory::pinned:
        case GpuMemory::physical_host:
        case GpuMemory::registered:
        case GpuMemory::imported:
        case GpuMemory::reserved:
        case GpuMemory::graph: return false;
        default: return true;
    }
}

GpuAside* GpuLedger::aside_of(GpuMemory memory) {
    switch (memory) {
        case GpuMemory::registered: return &info_.registered;
        case GpuMemory::imported: return &info_.imported;
        case GpuMemory::reserved: return &info_.reserved;
        case GpuMemory::graph: return &info_.graph_nodes;
        default: return nullptr;
    }
}

bool GpuLedger::is_sound() {
    bool is_sound = physical_.is_sound();
    for_each_space([&](GpuSpace& space) { is_sound &= space.is_sound(); });
    const auto check = [&](GpuMemory memory, uint32_t device, const GpuHolding& holding) {
        const auto card = cards_.find(device);
        if (memory == GpuMemory::managed) is_sound &= managed_.is_sound(holding);
        else if (!is_of_device(memory)) is_sound &= pinned_.is_sound(holding);
        else is_sound &= card != cards_.end() && card->second.space().is_sound(holding);
    };
    for (const auto& [address, block] : blocks_) check(block.memory, block.device, block.holding);
    physical_.for_each_live([&](const GpuPhysical::Memory& memory) {
        check(memory.memory, memory.device, memory.holding);
    });
    return is_sound;
}

GpuHolding GpuLedger::hold(const GpuAcquire& record, const GpuCaller& by) {
    const std::string label = label_of(record.memory);
    if (record.memory == GpuMemory::managed) {
        return managed_.acquire(record.size, record.stack, label, record.time, by);
    }
    if (!is_of_device(record.memory)) {
        return pinned_.acquire(record.size, record.stack, label, record.time, by);
    }
    if (record.memory == GpuMemory::pooled) {
        return card(record.device)
            .acquire_pooled(record.pool, record.size, record.stack, label, record.time, by);
    }
    return card(record.device).acquire(record.size, record.stack, label, record.time, by);
}

void GpuLedger::give_back(GpuMemory memory, uint32_t number, const GpuHolding& holding,
                          uint64_t time, uint32_t thread) {
    if (memory == GpuMemory::managed) managed_.release(holding, time, thread);
    else if (!is_of_device(memory)) pinned_.release(holding, time, thread);
    else card(number).release(holding, time, thread);
}

GpuLedger::Fault GpuLedger::acquire(const GpuAcquire& record, const GpuCaller& by) {
    if (names_handle(record)) return acquire_handle(record, by);
    if (const auto old = blocks_.find(record.address); old != blocks_.end()) {
        Block& before = old.value();
        const bool is_again =
            before.memory == GpuMemory::imported && record.memory == GpuMemory::imported;
        if (is_again) {  // Importing the same memory of the other process gives the same address.
            before.opened += 1;
            return Fault::none;
        }
        if (before.memory != GpuMemory::graph) {
            overtaken_.wait(record.address, record.time, by.lane);
        }
        const Block gone = before;
        blocks_.erase(old);
        end_block(record.address, gone, record.time, by.thread);
    }
    Block block{
        record.memory, record.device, record.size, record.context, record.pool, 1, record.time, {}};
    if (GpuAside* aside = aside_of(record.memory)) {
        // A buffer inside imported memory that has a record of its own adds no bytes.
        const bool is_part = record.memory == GpuMemory::imported && record.pool != 0 &&
                             blocks_.contains(record.pool);
        if (is_part) block.size = 0;
        come(*aside, block.size);
    } else {
        block.holding = hold(record, by);
    }
    blocks_[record.address] = block;
    if (is_of_device(record.memory)) {
        GpuCard& where = card(record.device);
        if (record.memory != GpuMemory::array) {
            where.segments().add(record.address, record.size, block.holding.site, false,
                                 is_allocator_(record.stack));
        }
        where.look_at_peak(record.time);
    }
    return Fault::none;
}

void GpuLedger::end_block(uint64_t address, const Block& block, uint64_t time, uint32_t thread) {
    if (GpuAside* aside = aside_of(block.memory)) return go(*aside, block.size);
    if (is_of_device(block.memory) && block.memory != GpuMemory::array) {
        card(block.device).segments().remove(address, address + 1);
    }
    if (block.memory == GpuMemory::pooled) {
        card(block.device).release_pooled(block.pool, block.holding, time, thread);
    } else {
        give_back(block.memory, block.device, block.holding, time, thread);
    }
}

GpuLedger::Fault GpuLedger::release(const GpuRelease& record, const GpuCaller& by) {
    // The node frees memory when its graph runs.
    if (record.api == Api::cuGraphAddMemFreeNode) return Fault::none;
    if (record.api == Api::cuMemRelease) {
        GpuPhysical::Ended ended;
        const Fault fault = physical_.release(record, ended);
        end(ended, record.time, by.thread);
        return fault;
    }
    const uint64_t began = begin_of(record);
    if (overtaken_.settle(record.address, record.address + 1, began)) return Fault::none;
    const auto found = blocks_.find(record.address);
    if (found == blocks_.end()) return Fault::released_while_not_live;
    Block& block = found.value();
    // Memory allocated by a graph is allocated again at every launch of the graph.
    if (block.memory == GpuMemory::graph) return Fault::none;
    if (block.since > began) return Fault::released_while_not_live;
    if (--block.opened > 0) return Fault::none;
    const Block gone = block;
    blocks_.erase(found);
    end_block(record.address, gone, record.time, by.thread);
    return Fault::none;
}

GpuLedger::Fault GpuLedger::acquire_handle(const GpuAcquire& record, const GpuCaller& by) {
    GpuPhysical::Memory memory;
    memory.memory = record.memory;
    memory.device = record.device;
    memory.handle = record.address;
    const bool counts = aside_of(record.memory) == nullptr;
    memory.since = record.time;
    if (record.api != Api::cuMulticastCreate) memory.size = record.size;
    GpuPhysical::Ended ended;
    const GpuPhysical::Memory* old = physical_.find(record.address);
    const bool is_again = old != nullptr && old->memory == GpuMemory::imported &&
                          record.memory == GpuMemory::imported && old->references > 0;
    if (is_again) return physical_.retain(record.address);
    physical_.overtake(record.address, record.time, by.lane, ended);
    end(ended, record.time, by.thread);
    if (counts) memory.holding = hold(record, by);
    else come(*aside_of(record.memory), memory.size);
    physical_.create(memory);
    is_segment_[record.address] = counts && is_allocator_(record.stack);
    if (is_of_device(record.memory)) card(record.device).look_at_peak(record.time);
    return Fault::none;
}

void GpuLedger::end(const GpuPhysical::Ended& ended, uint64_t time, uint32_t thread) {
    for (const GpuPhysical::Range& range : ended.mappings) {
        for (auto& [number, card] : cards_) card.segments().remove(range.begin, range.end);
    }
    for (const GpuPhysical::Memory& memory : ended.memories) {
        if (GpuAside* aside = aside_of(memory.memory)) go(*aside, memory.size);
        else give_back(memory.memory, memory.device, memory.holding, time, thread);
    }
}

GpuLedger::Fault GpuLedger::retain(const GpuRetain& record) {
    return is_multicast(record.api) ? Fault::none : physical_.retain(record.handle);
}

GpuLedger::Fault GpuLedger::map(const GpuMap& record, const GpuCaller& by) {
    GpuPhysical::Ended ended;
    const Fault fault = physical_.map(record, by.lane, ended);
    end(ended, record.time, by.thread);
    const GpuPhysical::Memory* memory = physical_.find(record.handle);
    if (memory == nullptr || memory->memory != GpuMemory::physical) return fault;
    GpuCard& where = card(memory->device);
    where.segments().add(record.address, record.size, memory->holding.site, true,
                         is_segment_[record.handle]);
    where.look_at_peak(record.time);
    return fault;
}

GpuLedger::Fault GpuLedger::unmap(const GpuUnmap& record, const GpuCaller& by) {
    if (is_multicast(record.api)) return Fault::none;
    GpuPhysical::Ended ended;
    const Fault fault = physical_.unmap(record, ended);
    end(ended, record.time, by.thread);
    return fault;
}

void GpuLedger::change_context(const GpuContext& record, const GpuCaller& by) {
    GpuCard& where = card(record.device);
    if (record.change != GpuContextChange::destroyed) {
        where.add_context(record.context);
        return;
    }
    std::vector<std::pair<uint64_t, Block>> gone;
    for (const auto& [address, block] : blocks_) {
        const bool belongs = block.context == record.context && block.context != 0;
        if (belongs && block.memory != GpuMemory::reserved) gone.emplace_back(address, block);
    }
    std::sort(gone.begin(), gone.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [address, block] : gone) {
        blocks_.erase(address);
        end_block(address, block, record.time, by.thread);
        if (aside_of(block.memory) != nullptr) continue;
        info_.implicit_frees += 1;
        info_.implicit_bytes += block.size;
    }
    where.end_context(record.context, record.time);
}

void GpuLedger::add_overhead(const GpuOverhead& record) {
    if (record.free_before == 0 && record.free_after == 0) return;
    card(record.device)
        .add_overhead(record.object, static_cast<int64_t>(record.free_before - record.free_after));
}

void GpuLedger::set_pool(const GpuPool& record) {
    GpuCard& where = card(record.device);
    switch (record.kind) {
        case GpuPoolKind::pool:
            where.pool_is(record.pool, {record.reserved, record.used, gaps_}, record.time);
            break;
        case GpuPoolKind::graph: where.graphs_reserve(record.reserved, record.time); break;
        case GpuPoolKind::gone: where.pool_is(record.pool, {0, 0, gaps_}, record.time); break;
        case GpuPoolKind::imported: break;  // Its bytes belong to another process.
    }
}

void GpuLedger::mark(uint64_t time) {
    for_each_space([&](GpuSpace& space) { space.mark(time); });
}

GpuSpace& GpuLedger::space_of(GpuMemory memory, uint32_t device) {
    if (memory == GpuMemory::managed) return managed_;
    return is_of_device(memory) ? card(device).space() : pinned_;
}

void GpuLedger::count_births() {
    const auto count = [this](const auto& what) {
        if (aside_of(what.memory) != nullptr) return;
        space_of(what.memory, what.device).count_birth(what.holding);
    };
    for (const auto& [address, block] : blocks_) count(block);
    physical_.for_each_live(count);
}

}  // namespace memtrace::analyzer
