// SPDX-License-Identifier: Apache-2.0
//
// A space of GPU memory: bytes by site, as in every space. The users of this class map addresses
// to blocks, because the rules differ (gpu_ledger.h).
//
// Besides blocks there are groups. A group has one block of changing size, for memory that the
// driver keeps. The program requested no such block, so it counts as no allocation. Nor do its
// bytes: those of pools are allocated when the program gets blocks of them. Only what graphs hold
// counts as allocated, because the blocks of graphs are not known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/gpu/gpu_group_parts.h"
#include "analyzer/gpu/gpu_snapshot.h"
#include "analyzer/model/gpu_model.h"
#include "analyzer/model/site_groups.h"
#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

// The caller of an event: its lane, its thread, and the autograd node that runs there.
struct GpuCaller {
    uint32_t lane = 0;
    uint32_t thread = 0;
    uint32_t backward = 0;
};

// The memory that one acquisition takes in a space, needed for the release.
struct GpuHolding {
    uint64_t bytes = 0;
    uint32_t site = 0;
    uint32_t label = SpaceCounter::no_label;
    uint64_t number = 0;  // number of the acquisition
};

// Returns the class of bytes that a group's block is.
constexpr std::string_view label_of_group(Group group) {
    return group == Group::graph_memory ? "graph" : "kept_by_pools";
}

class GpuSpace {
public:
    explicit GpuSpace(std::string name) : counter_(std::move(name)) {}

    GpuHolding acquire(uint64_t bytes, uint32_t stack, const std::string& label, uint64_t time,
                       const GpuCaller& by) {
        half_.come_to(time);
        const uint32_t site = counter_.site_of(stack, by.backward);
        GpuHolding holding{bytes, site, label_of(label)};
        before_change(site);
        counter_.acquire(site, bytes, time, holding.label);
        holding.number = newest_of(by.thread) = counter_.newest();
        return holding;
    }

    void release(const GpuHolding& holding, uint64_t time, uint32_t thread) {
        half_.come_to(time);
        before_change(holding.site);
        const bool temporary = holding.number == newest_of(thread);
        counter_.release(holding.site, holding.bytes, temporary, holding.number, holding.label);
    }

    // The driver took memory from the device for the group, or returned some: it keeps so much.
    void set_group(Group group, uint64_t bytes, uint64_t time);
    // So many bytes become part of the next block of this space.
    void lend(Group group, uint64_t bytes, uint64_t time);
    // A block was released, and so many of its bytes come to the group.
    void take_back(Group group, uint64_t bytes, const GpuHolding& block, uint64_t time);

    void mark(uint64_t time) { mark_.begin(time); }

    // Adds an acquisition that has not been released to the histories.
    void count_birth(const GpuHolding& holding) {
        if (holding.number == 0) return;  // It holds nothing in this space.
        counter_.add_birth(holding.site, holding.number, holding.bytes, 1, holding.label);
    }
    // Tells the observer, which begins now, of the groups' blocks.
    void tell_groups();

    // False if a holding cannot be one of this space. An archive may say anything.
    bool is_sound(const GpuHolding& holding) const {
        return holding.number == 0 || counter_.has(holding.site, holding.label);
    }
    bool is_sound() const {
        return std::all_of(
                   labels_.begin(), labels_.end(),
                   [this](const auto& entry) { return counter_.has_label(entry.second); }) &&
               std::all_of(groups_.begin(), groups_.end(),
                           [](const auto& entry) { return entry.second.parts.is_sound(); });
    }
    SpaceCounter& counter() { return counter_; }
    uint64_t live_bytes() const { return counter_.totals().live_bytes; }

    // Returns the sites that hold memory now, with their growth.
    std::vector<GpuHeldSite> held_sites() const {
        std::vector<GpuHeldSite> result;
        for (uint32_t site = 0; site < counter_.site_count(); ++site) {
            const Totals& totals = counter_.site_totals(site);
            if (totals.live_blocks == 0 && totals.live_bytes == 0) continue;
            const auto growth = [&](const GpuSnapshot& baseline) {
                return static_cast<int64_t>(totals.live_bytes -
                                            baseline.held(site, totals.live_bytes));
            };
            result.push_back({site, totals.live_bytes, totals.live_blocks, growth(mark_),
                              growth(half_.older())});
        }
        return result;
    }
    // The number of this thread is that of another one from here on.
    void forget_thread(uint32_t thread) {
        if (thread < newest_.size()) newest_[thread] = 0;
    }
    std::optional<uint64_t> mark_time() const { return mark_.time(); }
    std::optional<uint64_t> half_time() const { return half_.older().time(); }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.counter_, self.labels_, self.groups_, self.newest_, self.mark_, self.half_);
    }

private:
    void before_change(uint32_t site) {
        const uint64_t held = counter_.site_totals(site).live_bytes;
        mark_.before_change(site, held);
        half_.before_change(site, held);
    }
    uint64_t& newest_of(uint32_t thread) {
        if (thread >= newest_.size()) newest_.resize(size_t{thread} + 1);
        return newest_[thread];
    }
    uint32_t label_of(const std::string& name) {
        if (name.empty()) return SpaceCounter::no_label;
        const auto [entry, is_new] = labels_.try_emplace(name, 0);
        if (is_new) entry->second = counter_.add_label(name);
        return entry->second;
    }

    struct GroupBlock {
        GpuGroupParts parts;
        uint64_t number = 0;  // of its begin

        static void state(auto& self, auto& each) { each(self.parts, self.number); }
    };
    // What every change of a group's block needs.
    struct GroupChange {
        Group group;
        GroupBlock& block;
        ObservedChange part;
        uint64_t time;
    };
    GroupChange change_of(Group group, bool is_moved, uint64_t time);
    void add_part(GroupChange& change, const GpuGroupParts::Part& part);
    void take_part(GroupChange& change, const GpuGroupParts::Part& part);
    void end_if_empty(const GroupChange& change);

    SpaceCounter counter_;
    std::map<std::string, uint32_t> labels_;
    std::map<Group, GroupBlock> groups_;
    std::vector<uint64_t> newest_;  // number of the last acquisition of each thread
    GpuSnapshot mark_;
    HalfSnapshot half_;
};

}  // namespace memtrace::analyzer
