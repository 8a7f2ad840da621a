// SPDX-License-Identifier: Apache-2.0
//
// Threads allocate, free each other's blocks, and resize while other threads receive the old
// address. The allocator reuses addresses at once. The oracle has the time span in which each
// block counted, and sweeps over all spans.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;
using analyzer::Model;
using analyzer::Site;
using analyzer::Space;

namespace {

struct Span {
    uint64_t from;
    uint64_t to;
    uint32_t stack;
    uint64_t size;
};

class Program {
public:
    Program(unsigned seed, uint32_t lanes) : random_(seed), dump_(settings()), busy_(lanes) {
        for (uint32_t id = 1; id < 5; ++id) dump_.add(0, Node{.id = id, .address = id});
        for (uint64_t i = 0; i < 40; ++i) free_.push_back(0x1000 + 0x100 * i);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) step();
        while (
            std::any_of(busy_.begin(), busy_.end(), [](const Busy& busy) { return busy.active; })) {
            ++now_;
            for (uint32_t lane = 0; lane < busy_.size(); ++lane) finish_resize(lane);
        }
        for (const auto& [address, block] : live_)
            spans_.push_back({block.from, forever, block.stack, block.size});
    }

    DumpBuilder& dump() { return dump_; }
    const std::vector<Span>& spans() const { return spans_; }

    static constexpr uint64_t forever = ~uint64_t{0};

private:
    struct Block {
        uint64_t from;
        uint32_t stack;
        uint64_t size;
    };
    struct Busy {
        bool active = false;
        uint64_t ends = 0;
        Resize record = {};
        Block old = {};
        size_t place = 0;  // index of the old block's span
        uint64_t new_address = 0;
    };

    static DumpBuilder::Settings settings() {
        DumpBuilder::Settings settings;
        settings.state = State::ended;
        return settings;
    }

    uint32_t stack() { return static_cast<uint32_t>(random_() % 5); }
    uint64_t size() { return random_() % 100; }
    uint64_t take_address() {
        const uint64_t address = free_.back();
        free_.pop_back();
        return address;
    }

    void step() {
        now_ += 1;
        const auto lane = static_cast<uint32_t>(random_() % busy_.size());
        if (busy_[lane].active) return finish_resize(lane);
        const unsigned choice = static_cast<unsigned>(random_() % 100);
        if (!free_.empty() && (live_.empty() || choice < 40)) acquire(lane);
        else if (!live_.empty() && choice < 75) release(lane);
        else if (!live_.empty()) begin_resize(lane);
    }

    void acquire(uint32_t lane) {
        const uint64_t address = take_address();
        const Block block{now_, stack(), size()};
        end_doomed(address);
        live_[address] = block;
        dump_.add(lane, Acquire{now_, Api::malloc, block.stack, block.size, address});
    }

    uint64_t any_live() {
        return std::next(live_.begin(), static_cast<long>(random_() % live_.size()))->first;
    }

    void release(uint32_t lane) {
        const uint64_t address = any_live();
        const Block block = live_[address];
        spans_.push_back({block.from, now_, block.stack, block.size});
        live_.erase(address);
        free_.push_back(address);
        dump_.add(lane, Release{now_, Api::free, address});
    }

    // The allocator gives up the old address and takes the new one at once. The record is complete
    // only at its end.
    void begin_resize(uint32_t lane) {
        const uint64_t address = any_live();
        Busy& busy = busy_[lane];
        busy = {true, now_ + 1 + random_() % 12, {}, live_[address], 0, address};
        live_.erase(address);
        if (!free_.empty() && random_() % 3 != 0) {
            busy.new_address = take_address();
            free_.push_back(address);
        }
        busy.record = {now_, 0, Api::realloc, address, stack(), size(), busy.new_address};
        busy.place = spans_.size();
        // Until the resize ends, or another acquisition is stamped for this address.
        spans_.push_back({busy.old.from, forever, busy.old.stack, busy.old.size});
        doomed_[address] = lane;
    }

    // Must be called when a thread receives this address. If it is the old address of a running
    // resize, that block has ended.
    void end_doomed(uint64_t address) {
        const auto doomed = doomed_.find(address);
        if (doomed == doomed_.end()) return;
        spans_[busy_[doomed->second].place].to = now_;
        doomed_.erase(doomed);
    }

    void finish_resize(uint32_t lane) {
        Busy& busy = busy_[lane];
        if (!busy.active || now_ < busy.ends) return;
        busy.active = false;
        const auto doomed = doomed_.find(busy.record.old_address);
        if (doomed != doomed_.end() && doomed->second == lane) {
            spans_[busy.place].to = now_;
            doomed_.erase(doomed);
        }
        end_doomed(busy.new_address);
        busy.record.duration = now_ - busy.record.time;
        live_[busy.new_address] = {now_, busy.record.stack, busy.record.size};
        dump_.add(lane, busy.record);
        ++now_;
    }

    std::mt19937 random_;
    DumpBuilder dump_;
    std::vector<Busy> busy_;
    uint64_t now_ = 1;
    std::vector<uint64_t> free_;
    std::map<uint64_t, Block> live_;       // blocks that any thread may free or resize
    std::map<uint64_t, uint32_t> doomed_;  // old address of a running resize: its lane
    std::vector<Span> spans_;
};

struct Peak {
    uint64_t bytes = 0;
    uint64_t time = 0;
    std::map<uint32_t, uint64_t> by_stack;
};

Peak sweep(const std::vector<Span>& spans) {
    // At the same moment, spans that end come first.
    std::vector<std::tuple<uint64_t, int, uint32_t, uint64_t>> changes;
    for (const Span& span : spans) {
        changes.emplace_back(span.from, 1, span.stack, span.size);
        if (span.to != Program::forever) changes.emplace_back(span.to, 0, span.stack, span.size);
    }
    std::sort(changes.begin(), changes.end());
    Peak peak;
    std::map<uint32_t, uint64_t> held;
    uint64_t total = 0;
    for (const auto& [time, begins, stack, size] : changes) {
        if (begins != 0) {
            held[stack] += size;
            total += size;
        } else {
            held[stack] -= size;
            total -= size;
        }
        if (total > peak.bytes) peak = {total, time, held};
    }
    return peak;
}

}  // namespace

TEST_CASE("random programs with resize races: totals and peak equal the oracle's") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        Program program(seed, 1 + seed % 5);
        program.run(400);
        const Model model = load_bytes(program.dump().bytes());
        INFO("seed " << seed);
        REQUIRE(problems_of(model).empty());
        REQUIRE(model.capture.anomalies == 0);
        REQUIRE(unequal_sums(model).empty());
        const Space& host = *space_named(model, "host");
        uint64_t live = 0;
        uint64_t bytes = 0;
        for (const Span& span : program.spans()) {
            bytes += span.size;
            if (span.to == Program::forever) live += span.size;
        }
        REQUIRE(host.totals.allocations == program.spans().size());
        REQUIRE(host.totals.allocated_bytes == bytes);
        REQUIRE(host.totals.live_bytes == live);
        Peak peak = sweep(program.spans());
        REQUIRE(host.totals.at_peak_bytes == peak.bytes);
        REQUIRE(host.peak_time_ns == peak.time);
        for (const Site& site : host.sites)
            REQUIRE(site.totals.at_peak_bytes == peak.by_stack[site.stack]);
    }
}
