// SPDX-License-Identifier: Apache-2.0
//
// Random legal driver calls, compared with a model that keeps everything in maps and sums it up
// again after each call. Totals at the peak and at the end must be equal, to the byte, for each
// space.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;
using analyzer::Model;
using analyzer::Site;
using analyzer::Space;

namespace {

using BySite = std::map<uint32_t, uint64_t>;

class Driver {
public:
    explicit Driver(unsigned seed) : random_(seed), dump_(settings()) {
        for (uint32_t id = 1; id < 6; ++id) dump_.add(0, Node{.id = id, .address = id});
        for (uint64_t context = 0xc0; context < 0xc4; ++context) {
            dump_.add(0, GpuContext{now_++, Api::cuCtxCreate, GpuContextChange::created, 1, context,
                                    device_of(context)});
        }
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            look();
        }
    }

    DumpBuilder& dump() { return dump_; }
    struct Figures {
        uint64_t peak = 0;
        uint64_t peak_time = 0;
        uint64_t live = 0;
        BySite at_peak;
        BySite at_end;
    };
    std::map<std::string, Figures> spaces;

private:
    struct Block {
        GpuMemory memory;
        uint32_t stack;
        uint64_t size;
        uint64_t context;
        uint64_t pool;
    };
    struct Physical {
        uint32_t stack;
        uint64_t size;
        uint32_t device;
        bool on_host;
        int references;
        int mappings;
        uint64_t handle;
    };

    static DumpBuilder::Settings settings() {
        DumpBuilder::Settings settings;
        settings.state = State::ended;
        return settings;
    }
    static uint32_t device_of(uint64_t context) { return context % 2; }
    static std::string name_of(uint32_t device) { return "device:" + std::to_string(device); }

    uint64_t number(uint64_t below) { return random_() % below; }
    uint32_t lane() { return static_cast<uint32_t>(number(3)); }
    uint32_t stack() { return static_cast<uint32_t>(number(6)); }
    template <class Map>
    auto any(Map& map) {
        return std::next(map.begin(), static_cast<long>(number(map.size())));
    }

    uint64_t free_address() {
        for (;;) {
            const uint64_t address = 0x10000 + number(40) * 0x1000;
            if (!blocks_.contains(address) && !mappings_.contains(address)) return address;
        }
    }

    void step() {
        now_ += 1;
        switch (number(12)) {
            case 0:
            case 1:
            case 2:
            case 3: return acquire();
            case 4:
            case 5: return release();
            case 6: return create();
            case 7: return map();
            case 8: return unmap();
            case 9: return drop_reference();
            case 10: return say_pool();
            default: return number(8) == 0 ? end_context() : retain();
        }
    }

    void acquire() {
        if (blocks_.size() + mappings_.size() > 30) return;
        static constexpr GpuMemory kinds[] = {
            GpuMemory::device, GpuMemory::array,      GpuMemory::pooled,   GpuMemory::managed,
            GpuMemory::pinned, GpuMemory::registered, GpuMemory::imported, GpuMemory::reserved};
        const GpuMemory memory = kinds[number(8)];
        const uint64_t context = 0xc0 + number(4);
        const uint64_t pool = memory == GpuMemory::pooled ? 0x90 + context % 2 : 0;
        const Block block{memory, stack(), number(5000), context, pool};
        const uint64_t address = free_address();
        blocks_[address] = block;
        dump_.add(lane(), GpuAcquire{now_, Api::cuMemAlloc, memory, block.stack, block.size,
                                     address, device_of(context), context, pool});
    }

    void release() {
        if (blocks_.empty()) return;
        const auto block = any(blocks_);
        dump_.add(lane(), GpuRelease{now_, Api::cuMemFree, block->first, 0});
        blocks_.erase(block);
    }

    // A handle without references may be issued again.
    void create() {
        std::set<uint64_t> taken;
        for (const Physical& physical : physicals_) {
            if (physical.references > 0) taken.insert(physical.handle);
        }
        const uint64_t handle = 0x50 + number(8);
        if (taken.contains(handle)) return;
        const bool on_host = number(4) == 0;
        physicals_.push_back(
            {stack(), number(5000), static_cast<uint32_t>(number(2)), on_host, 1, 0, handle});
        const Physical& made = physicals_.back();
        dump_.add(lane(), GpuAcquire{now_, Api::cuMemCreate,
                                     on_host ? GpuMemory::physical_host : GpuMemory::physical,
                                     made.stack, made.size, handle, made.device, 0xc0, 0});
    }

    // Returns a random memory that has references, or nullptr.
    Physical* any_referenced() {
        std::vector<Physical*> found;
        for (Physical& physical : physicals_) {
            if (physical.references > 0) found.push_back(&physical);
        }
        return found.empty() ? nullptr : found[number(found.size())];
    }

    void map() {
        Physical* physical = any_referenced();
        if (physical == nullptr || mappings_.size() > 8) return;
        const uint64_t address = free_address();
        physical->mappings += 1;
        mappings_[address] = static_cast<size_t>(physical - physicals_.data());
        dump_.add(lane(), GpuMap{now_, Api::cuMemMap, address, 0x1000, physical->handle, 0});
    }

    void unmap() {
        if (mappings_.empty()) return;
        const auto mapping = any(mappings_);
        physicals_[mapping->second].mappings -= 1;
        dump_.add(lane(), GpuUnmap{now_, Api::cuMemUnmap, mapping->first, 0x1000, 0});
        mappings_.erase(mapping);
    }

    void drop_reference() {
        Physical* physical = any_referenced();
        if (physical == nullptr) return;
        physical->references -= 1;
        dump_.add(lane(), GpuRelease{now_, Api::cuMemRelease, physical->handle, 0});
    }

    void retain() {
        Physical* physical = any_referenced();
        if (physical == nullptr) return;
        physical->references += 1;
        dump_.add(lane(), GpuRetain{now_, Api::cuMemRetainAllocationHandle, physical->handle});
    }

    void say_pool() {
        const uint64_t pool = 0x90 + number(2);
        reserved_[pool] = number(20000);
        dump_.add(lane(), GpuPool{now_, Api::cuMemAllocAsync, GpuPoolKind::pool, pool,
                                  device_of(pool), reserved_[pool], 0});
    }

    // Never ends the last context of a device, because the device's pools would end with it.
    void end_context() {
        const uint64_t context = 0xc2 + number(2);
        if (!contexts_.contains(context)) return;
        contexts_.erase(context);
        std::erase_if(blocks_, [&](const auto& entry) {
            return entry.second.context == context && entry.second.memory != GpuMemory::reserved;
        });
        dump_.add(lane(), GpuContext{now_, Api::cuCtxDestroy, GpuContextChange::destroyed, 1,
                                     context, device_of(context)});
    }

    static constexpr uint32_t kept_site = 0xffff;

    void look() {
        std::map<std::string, BySite> held;
        std::map<uint64_t, uint64_t> handed_out;  // by pool
        for (const auto& [address, block] : blocks_) {
            switch (block.memory) {
                case GpuMemory::managed: held["managed"][block.stack] += block.size; break;
                case GpuMemory::pinned: held["pinned"][block.stack] += block.size; break;
                case GpuMemory::pooled: handed_out[block.pool] += block.size; [[fallthrough]];
                case GpuMemory::device:
                case GpuMemory::array:
                    held[name_of(device_of(block.context))][block.stack] += block.size;
                    break;
                default: break;
            }
        }
        for (const Physical& physical : physicals_) {
            if (physical.references == 0 && physical.mappings == 0) continue;
            held[physical.on_host ? "pinned" : name_of(physical.device)][physical.stack] +=
                physical.size;
        }
        for (const auto& [pool, reserved] : reserved_) {
            if (reserved <= handed_out[pool]) continue;
            held[name_of(device_of(pool))][kept_site] += reserved - handed_out[pool];
        }
        for (const char* name : {"device:0", "device:1", "pinned", "managed"}) {
            Figures& figures = spaces[name];
            figures.live = 0;
            for (const auto& [site, bytes] : held[name]) figures.live += bytes;
            figures.at_end = held[name];
            if (figures.live <= figures.peak) continue;
            figures.peak = figures.live;
            figures.peak_time = now_;
            figures.at_peak = held[name];
        }
    }

    std::mt19937 random_;
    DumpBuilder dump_;
    uint64_t now_ = 1;
    std::map<uint64_t, Block> blocks_;       // by address
    std::vector<Physical> physicals_;        // all that ever existed
    std::map<uint64_t, size_t> mappings_;    // by address: index in physicals_
    std::map<uint64_t, uint64_t> reserved_;  // by pool
    std::set<uint64_t> contexts_{0xc2, 0xc3};
};

}  // namespace

TEST_CASE("random calls of a driver: totals, sites and peaks equal the oracle's") {
    for (unsigned seed = 0; seed < 120; ++seed) {
        Driver driver(seed);
        driver.run(300);
        const Model model = load_bytes(driver.dump().bytes());
        INFO("seed " << seed);
        REQUIRE(problems_of(model).empty());
        REQUIRE(model.capture.anomalies == 0);
        REQUIRE(unequal_sums(model).empty());
        for (const auto& [name, expected] : driver.spaces) {
            INFO(name);
            const Space* space = space_named(model, name);
            if (space == nullptr) {
                REQUIRE(expected.peak == 0);
                continue;
            }
            REQUIRE(space->totals.live_bytes == expected.live);
            REQUIRE(space->totals.own_peak_bytes == expected.peak);
            REQUIRE((expected.peak == 0 || space->peak_time_ns == expected.peak_time));
            for (const Site& site : space->sites) {
                const bool is_kept = model.stacks.nodes[site.stack].group != analyzer::Group::none;
                const uint32_t stack = is_kept ? 0xffff : site.stack;
                const auto of = [&](const BySite& sites) {
                    const auto found = sites.find(stack);
                    return found == sites.end() ? 0 : found->second;
                };
                REQUIRE(site.totals.live_bytes == of(expected.at_end));
                REQUIRE(site.totals.at_peak_bytes == of(expected.at_peak));
            }
        }
    }
}
