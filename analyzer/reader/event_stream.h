// SPDX-License-Identifier: Apache-2.0
//
// All lanes merged into one stream in the order of the events' times.
//
// Each lane is in order by itself. The stream always continues with the lane whose next event is
// the oldest, and stays there until another lane's next event is older. At the same tick releases
// come first (event.h). The records about the process at its start (lane_none) come before
// everything else.
//
// Definitions of stack nodes are nearly half of all records. A user that gives `on_node` receives
// each of them before the event that follows it in its lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "analyzer/reader/lane_reader.h"

namespace memtrace::analyzer {

class EventStream {
public:
    EventStream(
        const DumpFile& file, const DumpIndex& index, Problems& problems,
        std::function<void(uint64_t bytes)> on_bytes = [](uint64_t) {},
        std::function<void(const Node&)> on_node = {})
        : context_{file, problems, std::move(on_bytes), std::move(on_node)} {
        // The batches of a hundred thousand lanes must not be long.
        constexpr size_t events_max = 1 << 18, length_min = 16;
        context_.batch_length =
            std::clamp(events_max / (index.lanes.size() + 1), length_min, context_.batch_length);
        for (const LaneSections& frames : index.lanes)
            lanes_.push_back({LaneReader(frames, context_)});
    }

    size_t lane_count() const { return lanes_.size(); }
    uint32_t lane_number(size_t lane) const { return lanes_[lane].reader.lane(); }

    // Calls visit(lane, event) once for every event. `lane` is an index below lane_count().
    template <class Visit>
    void run(Visit&& visit) {
        run(visit, [](const Event&, bool) {});
    }

    // Does the same, and for most events calls soon(event, false) and soon(event, true) a little
    // earlier.
    template <class Visit, class Soon>
    void run(Visit&& visit, Soon&& soon) {
        for (size_t lane = 0; lane < lanes_.size(); ++lane) {
            if (lane_number(lane) == lane_none) run_alone(lane, visit, soon);
            else if (lanes_[lane].fill()) waiting_.push({lanes_[lane].key(), lane});
            else define_until(lanes_[lane], 0);
        }
        while (!waiting_.empty()) {
            const size_t lane = waiting_.top().lane;
            waiting_.pop();
            const Place next = waiting_.empty() ? Place{~uint64_t{0}, 0} : waiting_.top();
            if (run_until(lane, next.key, visit, soon)) waiting_.push({lanes_[lane].key(), lane});
        }
    }

private:
    static constexpr size_t soon_distance = 16;  // in events; about the duration of a cache miss

    struct Lane {
        LaneReader reader;
        const std::vector<Event>* batch = nullptr;
        size_t next = 0;
        size_t next_definition = 0;

        uint64_t key() const { return (*batch)[next].key; }
        bool fill() {
            batch = &reader.fill();
            next = next_definition = 0;
            return !batch->empty();
        }
    };
    struct Place {
        uint64_t key;
        size_t lane;
        // The oldest event is on top. Ties are broken by lane number.
        bool operator<(const Place& other) const {
            return key != other.key ? key > other.key : lane > other.lane;
        }
    };

    // Visits the lane's events that are not newer than `key`. Returns false if the lane has ended.
    template <class Visit, class Soon>
    bool run_until(size_t number, uint64_t key, Visit&& visit, Soon&& soon) {
        Lane& lane = lanes_[number];
        do {
            const std::vector<Event>& batch = *lane.batch;
            while (lane.next < batch.size()) {
                if (batch[lane.next].key > key) return true;
                if (lane.next + soon_distance < batch.size()) {
                    soon(batch[lane.next + soon_distance], false);
                    soon(batch[lane.next + soon_distance / 2], true);
                }
                define_until(lane, lane.next);
                visit(number, batch[lane.next++]);
            }
        } while (lane.fill());
        define_until(lane, 0);
        return false;
    }

    // Hands out the definitions that come before the lane's event `place`.
    [[gnu::always_inline]] void define_until(Lane& lane, size_t place) {
        const std::vector<LaneReader::Definition>& all = lane.reader.definitions();
        size_t& next = lane.next_definition;
        for (; next < all.size() && all[next].before <= place; ++next)
            context_.on_node(all[next].node);
    }

    template <class Visit, class Soon>
    void run_alone(size_t lane, Visit&& visit, Soon&& soon) {
        if (lanes_[lane].fill()) run_until(lane, ~uint64_t{0}, visit, soon);
    }

    ReadContext context_;
    std::vector<Lane> lanes_;
    std::priority_queue<Place> waiting_;
};

}  // namespace memtrace::analyzer
