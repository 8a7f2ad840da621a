// SPDX-License-Identifier: Apache-2.0
//
// A program that does everything a replay must follow, at random and on few addresses: several
// lanes and threads, heap blocks that are resized while others get their old addresses, mappings
// that lose parts and are covered and moved, Python's objects in arenas, nested phases, and now and
// then an event that contradicts the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "tests/tools/dump_builder.h"
#include "tests/unit/analyzer/replay/naive_replay.h"

namespace memtrace::test {

class RandomProgram {
public:
    static constexpr uint32_t stack_max = 5;

    explicit RandomProgram(unsigned seed)
        : random_(seed), dump_(settings(seed)), lanes_(1 + seed % 4) {
        for (uint32_t id = 1; id <= stack_max; ++id)
            add(0, Node{.id = id, .parent = id % 2 == 0 ? id / 2 : no_stack, .address = id});
        add(0, PythonObjects{0, PythonObjectsState::whole});
        for (uint64_t i = 0; i < 12; ++i) free_.push_back(0x1000 + 0x10 * i);
        const uint64_t steps = 20 + below(160);
        const uint64_t tidies_at = chance(50) ? steps - below(steps) / 2 : ~uint64_t{0};
        for (uint64_t i = 0; i < steps; ++i) {
            if (i == tidies_at) add(idle_lane(), WorkEnd{tick()});
            step();
        }
        for (uint32_t lane = 0; lane < lanes_.size(); ++lane) finish(lane);
    }

    const std::vector<LaneRecord>& records() const { return records_; }
    Bytes bytes() { return dump_.bytes(); }

private:
    struct Lane {
        std::optional<Resize> resize;
        std::optional<Remap> remap;
    };
    static constexpr uint64_t page = NaiveReplay::page;
    static constexpr uint64_t maps = 0x800000, map_pages = 12;
    static constexpr uint64_t arenas = 0x10e000, arena_pages = 6;  // across a multiple of 64 KiB

    static DumpBuilder::Settings settings(unsigned seed) {
        DumpBuilder::Settings settings;
        settings.state = State::ended;
        settings.packing = Packing::none;
        settings.with_rings = seed % 3 != 0;
        return settings;
    }

    uint64_t below(uint64_t limit) { return random_() % limit; }
    bool chance(unsigned percent) { return below(100) < percent; }
    uint32_t stack() { return static_cast<uint32_t>(below(stack_max + 1)); }

    template <class Record>
    void add(uint32_t lane, const Record& record) {
        records_.push_back({lane, record});
        dump_.add(lane, record);
    }

    // What takes an address may have the time of what has just been given back.
    uint64_t tick(bool takes = false) {
        if (!takes || !gave_ || chance(70)) now_ += 1 + below(3);
        gave_ = false;
        return now_;
    }
    uint64_t tick_giving() {
        const uint64_t time = tick();
        gave_ = true;
        return time;
    }

    bool is_busy(uint32_t lane) const { return lanes_[lane].resize || lanes_[lane].remap; }
    uint32_t idle_lane() {
        for (;;) {
            const auto lane = static_cast<uint32_t>(below(lanes_.size()));
            if (!is_busy(lane)) return lane;
            finish(lane);
        }
    }

    void step() {
        const auto lane = static_cast<uint32_t>(below(lanes_.size()));
        if (is_busy(lane)) {
            if (chance(50)) finish(lane);
            return;
        }
        const uint64_t choice = below(100);
        if (choice < 18) acquire(lane);
        else if (choice < 31) release(lane);
        else if (choice < 38) begin_resize(lane);
        else if (choice < 48) map(lane);
        else if (choice < 56) unmap(lane, maps, map_pages);
        else if (choice < 61) begin_remap(lane);
        else if (choice < 65) map_arena(lane);
        else if (choice < 74) acquire_object(lane);
        else if (choice < 80) release_object(lane);
        else if (choice < 82) unmap(lane, arenas, arena_pages);
        else if (choice < 96) mark(lane);
        else if (choice < 98) change_thread(lane);
        else contradict(lane);
    }

    // ---- the heap ----

    void acquire(uint32_t lane) {
        if (free_.empty()) return;
        const uint64_t address = take_free();
        add(lane, Acquire{tick(true), Api::malloc, stack(), below(100), address});
        live_.insert(address);
    }
    uint64_t take_free() {
        const uint64_t address = free_.back();
        free_.pop_back();
        return address;
    }
    uint64_t any_of(const std::set<uint64_t>& set) {
        return *std::next(set.begin(), static_cast<long>(below(set.size())));
    }
    void release(uint32_t lane) {
        if (live_.empty()) return;
        const uint64_t address = any_of(live_);
        add(lane, Release{tick_giving(), Api::free, address});
        live_.erase(address);
        free_.push_back(address);
    }
    // The allocator gives up the old address and takes the new one at once. Others may get the old
    // address before the resize has ended.
    void begin_resize(uint32_t lane) {
        if (live_.empty()) return;
        const uint64_t old = any_of(live_);
        uint64_t fresh = old;
        live_.erase(old);
        if (!free_.empty() && chance(70)) {
            fresh = take_free();
            free_.push_back(old);
        }
        lanes_[lane].resize =
            Resize{tick_giving(), 0, Api::realloc, old, stack(), below(100), fresh};
    }

    // ---- mappings ----

    std::pair<uint64_t, uint64_t> pages_in(uint64_t base, uint64_t count) {
        const uint64_t first = below(count);
        return {base + first * page, (1 + below(std::min<uint64_t>(count - first, 4))) * page};
    }
    void map(uint32_t lane) {
        const auto [address, size] = pages_in(maps, map_pages);
        const auto purpose = chance(10) ? MapPurpose::gpu_driver : MapPurpose::unknown;
        add(lane, Map{tick(true), Api::mmap, static_cast<MapClass>(below(4)), address, size,
                      stack(), purpose});
        own(address, size, ++mappings_);
    }
    void unmap(uint32_t lane, uint64_t base, uint64_t count) {
        const auto [address, size] = pages_in(base, count);
        add(lane, Unmap{tick_giving(), Api::munmap, address, size});
        own(address, size, 0);
        const auto first = objects_.lower_bound(address);
        const auto last = objects_.lower_bound(address + size);
        objects_.erase(first, last);
    }
    void own(uint64_t address, uint64_t size, uint64_t mapping) {
        for (uint64_t at = address; at < address + size; at += page) owners_[at] = mapping;
    }
    // The old pages are those of one mapping, as the kernel requires.
    void begin_remap(uint32_t lane) {
        const auto [address, size] = pages_in(maps, map_pages);
        if (owners_[address] == 0) return;
        uint64_t end = address;
        while (end < address + size && owners_[end] == owners_[address]) end += page;
        auto [fresh, fresh_size] = pages_in(maps, map_pages);
        if (chance(50)) fresh = address;
        own(address, end - address, 0);
        lanes_[lane].remap = Remap{tick_giving(), 0,     Api::mremap, address,
                                   end - address, fresh, fresh_size,  stack()};
    }

    void finish(uint32_t lane) {
        Lane& busy = lanes_[lane];
        if (busy.resize) {
            busy.resize->duration = tick(true) - busy.resize->time;
            add(lane, *busy.resize);
            live_.insert(busy.resize->address);
        } else if (busy.remap) {
            busy.remap->duration = tick(true) - busy.remap->time;
            add(lane, *busy.remap);
            own(busy.remap->address, busy.remap->size, ++mappings_);
        }
        busy.resize.reset();
        busy.remap.reset();
    }

    // ---- Python's objects ----

    void map_arena(uint32_t lane) {
        const auto [address, size] = pages_in(arenas, arena_pages);
        for (uint64_t at = address; at < address + size; at += page) {
            if (owners_[at] != 0) return;
        }
        add(lane, Map{tick(true), Api::mmap, MapClass::anonymous, address, size, stack(),
                      MapPurpose::python_arena});
        own(address, size, ++mappings_);
    }
    void acquire_object(uint32_t lane) {
        const uint64_t address = arenas + below(arena_pages) * page + below(6) * 0x2a0;
        if (owners_[address / page * page] == 0 || objects_.contains(address)) return;
        add(lane, Acquire{tick(true), Api::PyObject_Malloc, stack(), below(100), address});
        objects_.insert(address);
    }
    void release_object(uint32_t lane) {
        if (objects_.empty()) return;
        const uint64_t address = any_of(objects_);
        add(lane, Release{tick_giving(), Api::PyObject_Free, address});
        objects_.erase(address);
    }

    // ---- phases, threads, contradictions ----

    void mark(uint32_t lane) {
        static constexpr const char* names[] = {"step 1", "step 2", "load", "eval 10", ""};
        Mark mark{tick()};
        const uint64_t kind = below(100);
        mark.kind = kind < 15 ? MarkKind::mark : kind < 60 ? MarkKind::begin : MarkKind::end;
        mark.text = names[below(5)];
        mark.domain = chance(20) ? "net" : "";
        mark.source = static_cast<MarkSource>(below(2));
        mark.scope = chance(50) ? MarkScope::thread : MarkScope::process;
        mark.range = chance(30) ? 1 + below(2) : 0;
        add(lane, mark);
    }
    // A new thread, a thread that moved here from another lane, or one with a number that was used.
    void change_thread(uint32_t lane) {
        if (chance(50)) add(lane, ThreadEnd{tick()});
        add(lane, ThreadStart{tick(), 100 + below(5)});
    }
    void contradict(uint32_t lane) {
        if (chance(50) || live_.empty()) {
            const bool is_object = chance(30);
            add(lane, Release{tick_giving(), is_object ? Api::PyObject_Free : Api::free, 0x770000});
        } else {
            add(lane, Acquire{tick(), Api::malloc, stack(), below(100), any_of(live_)});
        }
    }

    std::mt19937_64 random_;
    DumpBuilder dump_;
    std::vector<LaneRecord> records_;
    std::vector<Lane> lanes_;
    uint64_t now_ = 1;
    bool gave_ = false;  // the last event gave an address back
    std::vector<uint64_t> free_;
    std::set<uint64_t> live_;  // blocks that any thread may free or resize
    std::set<uint64_t> objects_;
    std::map<uint64_t, uint64_t> owners_;  // the mapping of each page; 0: none
    uint64_t mappings_ = 0;
};

}  // namespace memtrace::test
