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
// records. They are counted, never hidden: the live block is closed as if it had been freed. After
// a time that was not recorded, blocks from before it may be gone (SpaceCounter::doubt_all). An
// acquisition that needs the place of such a block closes it without a word.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/spaces/doubtful_blocks.h"
#include "analyzer/spaces/large_table.h"
#include "analyzer/spaces/peak_tracker.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// A heap block that is alive at this point of the replay. The table of them is the only structure
// that grows with the traced program's memory, and every event touches it: two entries are in a
// cache line, and a block takes at most 64 bytes.
struct LiveBlock {
    uint64_t size = 0;
    uint64_t number = 0;  // number of its acquisition (space_observer.h), 1 or more
    uint32_t site = 0;
    uint32_t resizer = not_resizing;  // the lane that is resizing the block
    static constexpr uint32_t not_resizing = 0xffffffff;

    bool is_free() const { return number == 0; }
};
static_assert(sizeof(LiveBlock) == 24);

using LiveBlocks = LargeTable<LiveBlock>;  // by address

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
        if (!doubtful_.empty()) [[unlikely]]
            make_way(address, size);
        const uint32_t site = counter_.site_of(stack, backward);
        const LiveBlock block{size, counter_.newest() + 1, site, LiveBlock::not_resizing};
        newest_of(thread) = block.number;
        Fault fault = Fault::none;
        if (LiveBlock* old = blocks_.insert(address, block)) [[unlikely]] {
            if (old->resizer == LiveBlock::not_resizing &&
                !counter_.unsure().may_be_gone(old->number)) {
                fault = Fault::acquired_while_live;
            }
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

    // Closes the block at this address, if there is one, because another one needs the place.
    Fault drop(uint64_t address) {
        LiveBlock* block = blocks_.find(address);
        if (block == nullptr) return Fault::none;
        const bool may_be_gone = counter_.unsure().may_be_gone(block->number);
        counter_.release(block->site, block->size, false, block->number);
        blocks_.erase(block);
        return may_be_gone ? Fault::none : Fault::acquired_while_live;
    }

    // Blocks may be gone from here on, or may have gone until here (SpaceCounter::doubt_all).
    void doubt_all(bool goes_on) {
        counter_.doubt_all(goes_on);
        doubtful_.clear();
        blocks_.for_each(
            [&](uint64_t address, const LiveBlock& block) { doubtful_.add(address, block.size); });
        doubtful_.sort();
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

    // Calls visit(block) for each live block that was acquired after the acquisition `number`.
    template <class Visit>
    void for_each_since(uint64_t number, Visit&& visit) const {
        blocks_.for_each([&](uint64_t, const LiveBlock& block) {
            if (block.number > number) visit(block);
        });
    }
    // Returns the live block at this address, or nullptr.
    const LiveBlock* block_at(uint64_t address) { return blocks_.find(address); }
    // The number of this thread is that of another one from here on.
    void forget_thread(uint32_t thread) {
        if (thread < newest_.size()) newest_[thread] = 0;
    }
    // Number of the last acquisition.
    uint64_t newest() const { return counter_.newest(); }

    SpaceCounter& counter() { return counter_; }
    // False if a block cannot be one of this space. An archive may say anything.
    bool is_sound() const {
        bool is_sound = true;
        blocks_.for_each(
            [&](uint64_t, const LiveBlock& block) { is_sound &= counter_.has(block.site); });
        return is_sound;
    }
    bool has(uint64_t address) { return blocks_.find(address) != nullptr; }
    size_t live_count() const { return blocks_.size(); }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.counter_, self.blocks_, self.doubtful_, self.newest_);
    }

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

    // Closes the blocks in [address, address + size) that may be gone.
    void make_way(uint64_t address, uint64_t size) {
        if (counter_.unsure().bytes() == 0) return doubtful_.clear();
        doubtful_.for_each(address, size, [&](uint64_t begin) {
            LiveBlock* block = blocks_.find(begin);
            if (block == nullptr || !counter_.unsure().may_be_gone(block->number)) return;
            if (block->resizer != LiveBlock::not_resizing) return;
            counter_.release(block->site, block->size, false, block->number);
            blocks_.erase(block);
        });
    }

    SpaceCounter counter_;
    LiveBlocks blocks_;
    DoubtfulBlocks doubtful_;
    std::vector<uint64_t> newest_;  // number of the block that each thread acquired last
};

}  // namespace memtrace::analyzer
