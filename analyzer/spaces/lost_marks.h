// SPDX-License-Identifier: Apache-2.0
//
// What searches for lost blocks have found (lost_records.h), as the replay meets it. A search names
// blocks by address, and its result comes later than its moment. So a block keeps a verdict only if
// it was acquired before the moment, and is counted only if it is alive at the end. Garbage of
// Python counts as it was at the moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"
#include "analyzer/spaces/heap_space.h"

namespace memtrace::analyzer {

class LostMarks {
public:
    void on(const LostSearch& record, const HeapSpace& heap) {
        if (record.stage == LostStage::begun) return begin(record, heap);
        if (!is_open_) begin(record, heap);
        if (!std::exchange(is_open_, false)) return;
        LostSearchInfo& search = searches_.back();
        search.stage = record.stage;
        search.blocks = record.blocks;
        search.bytes = record.bytes;
        search.work_ns = record.work * 1000;
        search.text = std::string(record.text);
        if (record.stage != LostStage::done) return;
        last_done_ = searches_.size();
        newest_done_ = newest_;
        done_ = std::move(found_);
        found_.clear();
    }
    void on(const LostBlock& record, HeapSpace& heap) {
        if (!is_open_ || found_.size() >= marks_max) return;
        const LiveBlock* block = heap.block_at(record.address);
        if (block == nullptr || block->number > newest_) return;
        found_[record.address] = {block->number, block->size, block->site, record.kind};
    }

    // Counts what the last search that was done has found, in `heap`, and lists all searches.
    void finish(HeapSpace& heap, const TickClock& clock, std::vector<LostSearchInfo>& searches) {
        uint64_t gone_blocks = 0, gone_bytes = 0;
        for (const auto& [address, mark] : done_) {
            const LiveBlock* block = heap.block_at(address);
            const bool is_there = block != nullptr && block->number == mark.number;
            // Python frees its garbage at its end, at the latest.
            if (!is_there && mark.kind != LostKind::garbage) continue;
            if (!heap.counter().has(mark.site))
                continue;  // A state that was read may say anything.
            heap.counter().count_lost(mark.site, mark.kind, mark.size);
            gone_blocks += !is_there;
            gone_bytes += is_there ? 0 : mark.size;
        }
        if (last_done_ != 0) {
            LostSearchInfo& last = searches_[last_done_ - 1];
            last.gone_garbage_blocks = gone_blocks;
            last.gone_garbage_bytes = gone_bytes;
            heap.for_each_since(newest_done_, [&](const LiveBlock& block) {
                last.later_blocks += 1;
                last.later_bytes += block.size;
            });
        }
        for (LostSearchInfo& search : searches_) {
            const uint64_t begin = search.time_ns;
            search.time_ns = clock.ns(begin);
            search.pause_ns = clock.ns(begin + search.pause_ns) - search.time_ns;
        }
        searches = std::move(searches_);
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.searches_, self.is_open_, self.newest_, self.found_, self.last_done_,
             self.newest_done_, self.done_);
        each.check([&] { return self.last_done_ <= self.searches_.size(); },
                   "a search in it is not there");
    }

private:
    // A damaged dump may have any number of these.
    static constexpr size_t searches_max = 10'000, marks_max = size_t{1} << 26;

    struct Mark {
        uint64_t number = 0;  // of the block's acquisition
        uint64_t size = 0;
        uint32_t site = 0;
        LostKind kind = LostKind::definitely;
    };
    using Marks = std::unordered_map<uint64_t, Mark>;  // by address

    void begin(const LostSearch& record, const HeapSpace& heap) {
        if (is_open_) {  // the second copy
            searches_.back().copies += 1;
            searches_.back().pause_ns = std::max(searches_.back().pause_ns, record.pause);
            return;
        }
        if (searches_.size() >= searches_max) return;
        LostSearchInfo& search = searches_.emplace_back();
        search.cause = record.cause;
        search.time_ns = record.time;
        search.pause_ns = record.pause;
        search.threads = record.threads;
        search.copies = record.stage == LostStage::begun;
        is_open_ = true;
        newest_ = heap.newest();
        found_.clear();
    }

    std::vector<LostSearchInfo> searches_;  // times in ticks
    bool is_open_ = false;                  // The last of them has no end yet.
    uint64_t newest_ = 0;                   // number of the newest block at the moment of that
    Marks found_;                           // by that
    uint64_t last_done_ = 0;                // 1 + index of the last search that was done; 0: none
    uint64_t newest_done_ = 0;
    Marks done_;
};

}  // namespace memtrace::analyzer
