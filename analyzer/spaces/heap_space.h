// SPDX-License-Identifier: Apache-2.0
//
// The space "host": heap blocks, counted in requested bytes. A second HeapSpace holds Python's
// objects.
//
// A block that is being resized remains the block at its old address. If an acquisition takes that
// address meanwhile, the allocator had already given it up (records.h). So a resize marks the
// block at its first moment and replaces it at its second.
//
// An acquisition of a live address and a release of an unknown address contradict the earlier
// records. They are counted, never hidden: the live block is closed as if it had been freed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/spaces/live_blocks.h"
#include "analyzer/spaces/peak_tracker.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class HeapSpace {
public:
    enum class Fault : uint8_t {
        none,
        acquired_while_live,
        released_while_not_live,
        resized_while_not_live,
        used_while_not_live  // GPU memory was mapped or retained
    };

    static const char* name_of(Fault fault) {
        switch (fault) {
            case Fault::acquired_while_live: return "acquired while live";
            case Fault::released_while_not_live: return "released while not live";
            case Fault::used_while_not_live: return "used while not live";
            default: return "resized while not live";
        }
    }

    explicit HeapSpace(std::string name = "host") : counter_(std::move(name)) {}

    Fault acquire(uint64_t address, uint64_t size, uint32_t stack, uint64_t time, uint32_t thread,
                  uint32_t backward = 0) {
        const uint32_t site = counter_.site_of(stack, backward);
        const LiveBlock block{size, counter_.newest() + 1, site, LiveBlock::not_resizing};
        newest_of(thread) = block.number;
        Fault fault = Fault::none;
        if (LiveBlock* old = blocks_.insert(address, block)) [[unlikely]] {
            if (old->resizer == LiveBlock::not_resizing) fault = Fault::acquired_while_live;
            counter_.release(old->site, old->size, false, old->number);
            *old = block;
        }
        counter_.acquire(site, size, time);
        return fault;
    }

    Fault release(uint64_t address, uint32_t thread) {
        LiveBlock* block = blocks_.find(address);
        if (block == nullptr) [[unlikely]]
            return Fault::released_while_not_live;
        close(*block, thread);
        blocks_.erase(block);
        return Fault::none;
    }

    Fault begin_resize(const Resize& record, uint32_t lane) {
        LiveBlock* block = blocks_.find(record.old_address);
        if (block == nullptr) return Fault::resized_while_not_live;
        block->resizer = lane;
        return Fault::none;
    }

    Fault end_resize(const Resize& record, uint64_t time, uint32_t lane, uint32_t thread,
                     uint32_t backward = 0) {
        LiveBlock* block = blocks_.find(record.old_address);
        if (block != nullptr && block->resizer == lane) {
            close(*block, thread);
            blocks_.erase(block);
        }
        return acquire(record.address, record.size, record.stack, time, thread, backward);
    }

    // Returns the live block that contains an object at this address, at its beginning or after a
    // small header. Returns nullptr if there is none.
    const LiveBlock* block_around(uint64_t object) {
        constexpr uint64_t head_max = 64, step = 16;
        const uint64_t first = object & ~(step - 1);
        for (uint64_t at = first; at <= first && first - at <= head_max; at -= step) {
            const LiveBlock* block = blocks_.find(at);
            if (block != nullptr && object - at < block->size) return block;
        }
        return nullptr;
    }

    // Prepares for an event at this address that follows in a few events. Call acquires_soon() or
    // releases_soon() a little later.
    [[gnu::always_inline]] void soon(uint64_t address) const { blocks_.soon(address); }
    [[gnu::always_inline]] void soon(uint64_t address, uint32_t stack) const {
        blocks_.soon(address);
        counter_.soon_number(stack);
    }
    [[gnu::always_inline]] void acquires_soon(uint32_t stack) const { counter_.soon(stack); }
    [[gnu::always_inline]] void releases_soon(uint64_t address) const {
        if (const LiveBlock* block = blocks_.peek(address)) counter_.soon_at(block->site);
    }

    // Adds all live blocks to the histories (SpaceCounter::add_birth).
    void count_births() {
        blocks_.for_each([&](uint64_t, const LiveBlock& block) {
            counter_.add_birth(block.site, block.number, block.size);
        });
    }

    // Calls visit(address, size, stack) for each live block.
    template <class Visit>
    void for_each_live(Visit&& visit) const {
        blocks_.for_each([&](uint64_t address, const LiveBlock& block) {
            visit(address, block.size, counter_.stack_of(block.site));
        });
    }

    SpaceCounter& counter() { return counter_; }
    bool has(uint64_t address) { return blocks_.find(address) != nullptr; }
    size_t live_count() const { return blocks_.size(); }

private:
    uint64_t& newest_of(uint32_t thread) {
        if (thread >= newest_.size()) [[unlikely]]
            newest_.resize(thread + 1);
        return newest_[thread];
    }

    void close(const LiveBlock& block, uint32_t thread) {
        const bool temporary = block.number == newest_of(thread);
        counter_.release(block.site, block.size, temporary, block.number);
    }

    SpaceCounter counter_;
    LiveBlocks blocks_;
    std::vector<uint64_t> newest_;  // number of the block that each thread acquired last
};

}  // namespace memtrace::analyzer
