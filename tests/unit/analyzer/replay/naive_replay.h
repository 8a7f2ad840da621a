// SPDX-License-Identifier: Apache-2.0
//
// A second replay, written from the documents (records.h, model.h, event.h) and as simply as they
// allow. It sorts all records of all lanes into moments 1, 2, 3, … and remembers every block with
// every moment at which it changed. naive_figures.h computes figures from that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/phases/phase_names.h"
#include "analyzer/reader/event.h"

namespace memtrace::test {

struct LaneRecord {
    uint32_t lane = 0;
    analyzer::AnyRecord record;
};

class NaiveReplay {
public:
    static constexpr size_t never = ~size_t{0};
    static constexpr uint64_t page = 4096;

    struct Block {
        std::string space;
        std::string site;   // number of its stack, or "arenas"
        std::string label;  // class of a mapping; empty: none
        uint32_t thread = 0;
        size_t born = 0;
        size_t ended = never;
        std::vector<std::pair<size_t, uint64_t>> sizes = {};  // bytes from this moment on
        bool is_temporary = false;

        bool is_alive(size_t moment) const { return born <= moment && moment < ended; }
        uint64_t bytes(size_t moment) const {
            uint64_t result = 0;
            for (const auto& [from, size] : sizes) {
                if (from <= moment) result = size;
            }
            return result;
        }
    };
    struct Thread {
        uint64_t tid = 0;
        bool has_ended = false;
        uint64_t allocations = 0;
        uint64_t allocated_bytes = 0;
    };
    // A phase while it was open once, or a mark.
    struct Range {
        std::string name;
        bool is_mark = false;
        uint32_t thread = 0;  // that began it
        uint32_t depth = 0;   // ranges of that thread that were open then
        size_t first = 0;
        size_t last = never;
        // What an end must have in common with it.
        MarkScope scope = MarkScope::process;
        MarkSource source = MarkSource::program;
        std::string domain = {};
        uint64_t number = 0;
    };

    explicit NaiveReplay(const std::vector<LaneRecord>& records) {
        struct Step {
            uint64_t time;
            bool is_second;  // second moment of a resize or remap
            const LaneRecord* record;
        };
        std::vector<Step> steps;
        for (const LaneRecord& record : records) {
            std::visit(
                [&](const auto& one) {
                    steps.push_back({one.time, false, &record});
                    if constexpr (requires { one.old_address; })
                        steps.push_back({one.time + one.duration, true, &record});
                },
                record.record);
        }
        const auto takes = [](const Step& step) {
            return step.is_second || std::holds_alternative<Acquire>(step.record->record) ||
                   std::holds_alternative<Map>(step.record->record);
        };
        std::stable_sort(steps.begin(), steps.end(), [&](const Step& a, const Step& b) {
            return std::pair(a.time, takes(a)) < std::pair(b.time, takes(b));
        });
        times_.push_back(0);
        for (const Step& step : steps) {
            times_.push_back(step.time);
            lane_ = step.record->lane;
            if (!std::holds_alternative<Node>(step.record->record)) last_[lane_] = now();
            std::visit([&](const auto& one) { on(one, step.is_second); }, step.record->record);
        }
        explain();
    }

    size_t end() const { return times_.size(); }
    uint64_t time(size_t moment) const { return times_[std::min(moment, times_.size() - 1)]; }
    uint64_t events() const { return events_; }
    uint64_t anomalies() const { return anomalies_; }
    uint64_t unpaired_ends() const { return unpaired_ends_; }
    const std::vector<Thread>& threads() const { return threads_; }
    const std::vector<Block>& blocks() const { return blocks_; }
    const std::vector<Range>& ranges() const { return ranges_; }
    size_t work_end() const { return work_end_; }  // never: at work until the end

    // The last moment before this time.
    size_t before(uint64_t time) const {
        size_t moment = 0;
        while (moment + 1 < times_.size() && times_[moment + 1] < time) ++moment;
        return moment;
    }

private:
    using Key = std::pair<std::string, uint32_t>;  // a space and a thread
    struct Moving {
        uint32_t lane;
        std::vector<size_t> pages;  // the block of each page that is on its way
        std::string label;
    };

    size_t now() const { return times_.size() - 1; }

    uint32_t thread() {
        const auto [found, is_new] =
            by_lane_.try_emplace(lane_, static_cast<uint32_t>(threads_.size()));
        if (is_new) threads_.emplace_back();
        return found->second;
    }

    size_t acquire(const std::string& space, const std::string& site, const std::string& label,
                   uint64_t bytes) {
        blocks_.push_back({space, site, label, thread(), now()});
        blocks_.back().sizes = {{now(), bytes}};
        newest_[{space, thread()}] = blocks_.size() - 1;
        return blocks_.size() - 1;
    }

    // `is_freed`: by this thread, and not because another event shows that the block is gone.
    void end_block(size_t number, bool is_freed) {
        Block& block = blocks_[number];
        const auto newest = newest_.find({block.space, thread()});
        block.is_temporary = is_freed && newest != newest_.end() && newest->second == number;
        block.ended = now();
    }

    void acquire_at(const std::string& space, uint64_t address, uint64_t size, uint32_t stack) {
        auto& live = live_[space];
        if (const auto old = live.find(address); old != live.end()) {
            if (!resizing_.contains(old->second)) {
                anomalies_ += 1;
                taken_.emplace_back(lane_, now());
            }
            end_block(old->second, false);
        }
        live[address] = acquire(space, std::to_string(stack), "", size);
    }
    void release_at(const std::string& space, uint64_t address) {
        auto& live = live_[space];
        const auto found = live.find(address);
        if (found == live.end()) {
            anomalies_ += 1;
            return;
        }
        end_block(found->second, true);
        live.erase(found);
    }

    // A thread that was alive at the end, and wrote nothing after another one had been given the
    // address of a live block, may have been in the midst of a resize; of one block only.
    void explain() {
        for (const auto& [taker, moment] : taken_) {
            if (times_[moment] + 1'000'000'000 < times_.back()) continue;
            for (const auto& [lane, thread] : by_lane_) {
                const bool is_quiet =
                    threads_[thread].has_ended || (ender_ != never && thread == ender_);
                if (lane == taker || is_quiet || last_[lane] > moment) continue;
                if (!in_resize_.insert(lane).second) continue;
                anomalies_ -= 1;
                break;
            }
        }
    }

    static std::string space_of(Api api) { return is_object_api(api) ? "python" : "host"; }

    void on(const Acquire& one, bool) {
        events_ += 1;
        acquire_at(space_of(one.api), one.address, one.size, one.stack);
        if (is_object_api(one.api)) return;
        threads_[thread()].allocations += 1;
        threads_[thread()].allocated_bytes += one.size;
    }
    void on(const Release& one, bool) {
        events_ += 1;
        release_at(space_of(one.api), one.address);
    }
    void on(const Resize& one, bool is_second) {
        auto& live = live_["host"];
        const auto found = live.find(one.old_address);
        if (!is_second) {
            events_ += 1;
            anomalies_ += found == live.end();
            if (found != live.end()) resizing_[found->second] = lane_;
            return;
        }
        if (found != live.end() && resizing_.contains(found->second) &&
            resizing_[found->second] == lane_) {
            end_block(found->second, true);
            live.erase(found);
        }
        acquire_at("host", one.address, one.size, one.stack);
        threads_[thread()].allocations += 1;
        threads_[thread()].allocated_bytes += one.size;
    }

    // Takes pages away from their mappings, each of which ends with its last page.
    void give_back(const std::vector<size_t>& mappings) {
        for (const size_t number : mappings) {
            Block& block = blocks_[number];
            const uint64_t left = block.bytes(now()) - page;
            if (left > 0) block.sizes.emplace_back(now(), left);
            else end_block(number, true);
        }
    }
    std::vector<size_t> take_pages(uint64_t address, uint64_t size) {
        std::vector<size_t> mappings;
        for (uint64_t at = address; at < address + size; at += page) {
            const auto owner = pages_.find(at);
            if (owner == pages_.end()) continue;
            mappings.push_back(owner->second);
            pages_.erase(owner);
        }
        return mappings;
    }
    void map(uint64_t address, uint64_t size, const std::string& site, const std::string& label) {
        give_back(take_pages(address, size));
        // No report counts what a driver reserves, and another mapping takes its place like others.
        const char* const space = label == "gpu_reserved" ? "nowhere" : "mmap";
        const size_t number = acquire(space, site, label, size);
        for (uint64_t at = address; at < address + size; at += page) pages_[at] = number;
    }

    void on(const Map& one, bool) {
        events_ += 1;
        const char* classes[] = {"anonymous", "file", "shared", "reserved"};
        if (one.purpose == MapPurpose::python_arena) {
            map(one.address, one.size, "arenas", "python_arena");
        } else if (one.purpose == MapPurpose::gpu_driver) {
            const bool is_reserved = one.map_class == MapClass::reserved;
            map(one.address, one.size, std::to_string(one.stack),
                is_reserved ? "gpu_reserved" : "gpu_driver");
        } else {
            map(one.address, one.size, std::to_string(one.stack),
                classes[static_cast<size_t>(one.map_class)]);
        }
    }
    void on(const Unmap& one, bool) {
        events_ += 1;
        // Objects that lie in pages of arenas are gone with them.
        std::vector<uint64_t> gone;
        for (const auto& [address, number] : live_["python"]) {
            const auto owner = pages_.find(address / page * page);
            if (owner == pages_.end() || blocks_[owner->second].label != "python_arena") continue;
            if (address >= one.address && address < one.address + one.size) gone.push_back(address);
        }
        for (const uint64_t address : gone) release_at("python", address);
        give_back(take_pages(one.address, one.size));
    }
    void on(const Remap& one, bool is_second) {
        if (!is_second) {
            events_ += 1;
            Moving moving{lane_, take_pages(one.old_address, one.old_size), "anonymous"};
            if (!moving.pages.empty()) moving.label = blocks_[moving.pages[0]].label;
            moving_.push_back(moving);
            return;
        }
        const auto mine = std::find_if(moving_.begin(), moving_.end(),
                                       [&](const Moving& moving) { return moving.lane == lane_; });
        const Moving moving = *mine;
        moving_.erase(mine);
        give_back(moving.pages);
        map(one.address, one.size, std::to_string(one.stack), moving.label);
    }

    void on(const ThreadStart& one, bool) {
        size_t found = threads_.size();
        for (size_t i = 0; i < threads_.size(); ++i) {
            if (threads_[i].tid == one.tid) found = i;
        }
        if (found == threads_.size() || threads_[found].has_ended) {
            found = threads_.size();
            threads_.push_back({one.tid});
        }
        by_lane_[lane_] = static_cast<uint32_t>(found);
    }
    void on(const ThreadEnd&, bool) { threads_[thread()].has_ended = true; }

    void on(const End&, bool) { ender_ = thread(); }
    void on(const WorkEnd&, bool) {
        if (work_end_ == never) work_end_ = now();
    }

    void on(const Mark& one, bool) {
        if (one.kind == MarkKind::end) return end_range(one);
        Range range{analyzer::full_name(one), one.kind == MarkKind::mark, thread()};
        for (const Range& other : ranges_)
            range.depth += other.last == never && other.thread == thread();
        range.first = now();
        if (range.is_mark) range.last = now();
        range.scope = one.scope;
        range.source = one.source;
        range.domain = one.domain;
        range.number = one.range;
        ranges_.push_back(range);
    }

    // The newest open range that fits ends.
    void end_range(const Mark& one) {
        for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range) {
            if (range->last != never || range->scope != one.scope) continue;
            const bool is_its =
                one.scope == MarkScope::thread
                    ? range->thread == thread() && range->domain == one.domain
                    : range->source == one.source && range->number == one.range &&
                          (one.range != 0 || range->name == analyzer::full_name(one));
            if (!is_its) continue;
            range->last = now();
            return;
        }
        unpaired_ends_ += 1;
    }
    void on(const auto&, bool) {}

    uint32_t lane_ = 0;
    std::vector<uint64_t> times_;
    std::vector<Block> blocks_;
    std::map<std::string, std::map<uint64_t, size_t>> live_;  // by space and address
    std::map<size_t, uint32_t> resizing_;                     // the lane that resizes a block
    std::map<uint64_t, size_t> pages_;                        // the mapping that a page belongs to
    std::vector<Moving> moving_;
    std::map<Key, size_t> newest_;
    std::vector<Thread> threads_;
    std::map<uint32_t, uint32_t> by_lane_;
    std::map<uint32_t, size_t> last_;                 // by lane: the moment of its last event
    std::vector<std::pair<uint32_t, size_t>> taken_;  // live addresses: by which lane, and when
    std::set<uint32_t> in_resize_;                    // lanes that explain one of these
    size_t ender_ = never;                            // the thread that ended the process
    std::vector<Range> ranges_;
    size_t work_end_ = never;
    uint64_t events_ = 0;
    uint64_t anomalies_ = 0;
    uint64_t unpaired_ends_ = 0;
};

}  // namespace memtrace::test
