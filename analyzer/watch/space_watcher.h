// SPDX-License-Identifier: Apache-2.0
//
// Watches one space: follows each block from its acquisition to its release. A live block takes
// at most 144 bytes more for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/spaces/large_table.h"
#include "analyzer/spaces/space_observer.h"
#include "analyzer/watch/curve_builder.h"
#include "analyzer/watch/largest_blocks.h"
#include "analyzer/watch/life_table.h"
#include "analyzer/watch/thread_shares.h"
#include "analyzer/watch/watch_request.h"

namespace memtrace::analyzer {

class SpaceWatcher final : public SpaceObserver {
public:
    struct Place {
        const WatchRequest& request;
        const TickClock* clock;  // settled; nullptr unless WatchRequest::needs_clock()
        ReplayPosition& position;
        bool is_range;  // Only what happens between open() and close() counts.
    };
    // `next` is told of every change as well; it may be nullptr.
    SpaceWatcher(const std::string& name, const Place& place, SpaceObserver* next);

    void open(uint64_t time);
    void close(uint64_t time);
    void end_work();

    void finish(Space& space, const std::vector<std::string>& labels, uint64_t& peak_time) override;
    // Call after the last event.
    SpaceWatch take_result(const TickClock& clock);

private:
    struct Birth {
        uint64_t time, event;  // in ticks; number of events before it
        BlockSum sum;
        uint64_t bytes_left;
        uint32_t site;
        uint32_t pair;  // of ThreadShares
        uint64_t number_of_pair;
        bool is_fresh;  // acquired since open()
        bool is_alive;

        bool is_free() const { return !is_alive; }
    };
    // Of a group's block, or the block itself. It is none of the blocks that have lives.
    struct GroupPart {
        uint32_t pair = 0;  // of ThreadShares
        uint64_t number_of_pair = 0;
        uint64_t bytes = 0;
        uint64_t moved = 0;  // bytes that blocks have taken over
    };
    static constexpr bool has_ended(const ObservedChange& change, const Birth& birth) {
        return change.blocks != 0 || birth.bytes_left == 0;
    }

    void acquired(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) override;
    void released(const ObservedChange& change, bool is_temporary) override;
    bool counts(uint32_t site) const {
        return sites_ == nullptr || (site < sites_->size() && (*sites_)[site]);
    }
    void hold(uint32_t site, uint64_t bytes, uint64_t time);
    LifeLength length_of(const Birth& birth) const;
    void grow_group(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time);
    void shrink_group(const ObservedChange& change);

    const Place place_;
    SpaceObserver* const next_;
    const std::vector<bool>* sites_ = nullptr;  // that the curve counts; nullptr: all
    bool is_open_ = false;
    uint64_t live_bytes_ = 0;  // of these sites
    // Of what is alive, by number. Most blocks are released soon after their neighbours.
    LargeTable<Birth, 8> births_;
    std::map<uint64_t, GroupPart> group_parts_;  // by number
    uint64_t newest_ = 0;                        // number of the last acquisition
    uint64_t newest_before_ = 0;                 // the same when what counts began
    CurveBuilder curve_;
    bool has_curve_ = false;
    LifeTable lives_;
    std::optional<ThreadShares> threads_;
    std::optional<LargestBlocks> largest_;
};

}  // namespace memtrace::analyzer
