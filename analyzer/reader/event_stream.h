// SPDX-License-Identifier: Apache-2.0
//
// All lanes merged into one stream in the order of the events' times.
//
// Each lane is in order by itself. The stream always continues with the lane whose next event is
// the oldest, and stays there until another lane's next event is older. At the same tick releases
// come first (event.h). The records about the process at its start (lane_none) come before
// everything else.
//
// Definitions of stack nodes are nearly half of all records. A user that gives `on_nodes` receives
// each of them before the event that follows it in its lane, and sees those that follow soon.
//
// A dump that still grows (dump_follower.h) is read in several calls of run_until().
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "analyzer/reader/lane_reader.h"

namespace memtrace::analyzer {

class EventStream {
public:
    EventStream(
        const DumpFile& file, const DumpIndex& index, Problems& problems,
        std::function<void(uint64_t bytes)> on_bytes = [](uint64_t) {},
        std::function<void(std::span<const Node> nodes, size_t count)> on_nodes = {})
        : context_{file, problems, std::move(on_bytes), std::move(on_nodes)} {
        // The batches of a hundred thousand lanes must not be long.
        constexpr size_t events_max = 1 << 18, length_min = 16;
        context_.batch_length =
            std::clamp(events_max / (index.lanes.size() + 1), length_min, context_.batch_length);
        for (const LaneSections& frames : index.lanes) add_lane(frames);
    }

    // Adds a lane that came after the others. `frames` must outlive the stream.
    void add_lane(const LaneSections& frames) { lanes_.emplace_back(frames, context_); }

    // Leaves definitions of stack nodes out. Call before the first event.
    void skip_nodes() { context_.skips_nodes = true; }
    // Leaves releases of the heap out, and the addresses of acquisitions, for passes that only look
    // at stacks.
    void skip_addresses() { context_.skips_addresses = true; }

    // Says whether the sections of the lanes may still become more. Then the end of what is there
    // is not the end of a lane.
    void set_grows(bool grows) { context_.grows = grows; }

    // The number of times that a lane went on with an event older than one that was visited.
    uint64_t late() const { return late_; }

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
        run_until(~uint64_t{0}, visit, soon);
    }

    // Visits the next events, up to this key (event.h). The next call goes on behind them.
    template <class Visit, class Soon>
    void run_until(uint64_t key, Visit&& visit, Soon&& soon) {
        for (size_t lane = 0; lane < lanes_.size(); ++lane) wake(lane, visit, soon);
        while (!waiting_.empty() && waiting_.top().key <= key) {
            const size_t lane = waiting_.top().lane;
            waiting_.pop();
            const uint64_t next = waiting_.empty() ? key : std::min(key, waiting_.top().key);
            lanes_[lane].waits = run_lane(lane, next, visit, soon);
            if (lanes_[lane].waits) waiting_.push({lanes_[lane].key(), lane});
        }
        run_until_ = std::max(run_until_, key);
    }

private:
    static constexpr size_t soon_distance = 16;  // in events; about the duration of a cache miss

    struct Lane {
        Lane(const LaneSections& frames, ReadContext& context) : reader(frames, context) {}

        LaneReader reader;
        bool waits = false;  // It is in `waiting_`.
        const EventBatch* batch = nullptr;
        size_t next = 0;
        size_t next_run = 0;   // of definitions
        size_t next_node = 0;  // its first one

        uint64_t key() const { return (*batch)[next].key; }
        bool fill() {
            batch = &reader.fill();
            next = next_run = next_node = 0;
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

    // Looks for events in a lane that has none. Those about the process are visited at once.
    template <class Visit, class Soon>
    void wake(size_t number, Visit&& visit, Soon&& soon) {
        Lane& lane = lanes_[number];
        if (lane.waits) return;
        if (!lane.fill()) {
            define_until(lane, 0);
        } else if (lane_number(number) == lane_none) {
            run_lane(number, ~uint64_t{0}, visit, soon);
        } else {
            lane.waits = true;
            late_ += lane.key() < run_until_;
            waiting_.push({lane.key(), number});
        }
    }

    // Visits the lane's events that are not newer than `key`. Returns false if the lane has ended.
    template <class Visit, class Soon>
    bool run_lane(size_t number, uint64_t key, Visit&& visit, Soon&& soon) {
        Lane& lane = lanes_[number];
        do {
            const EventBatch& batch = *lane.batch;
            const size_t size = batch.size();
            size_t next = lane.next;
            for (; next < size && batch[next].key <= key; ++next) {
                if (next + soon_distance < size) {
                    soon(batch[next + soon_distance], false);
                    soon(batch[next + soon_distance / 2], true);
                }
                define_until(lane, next);
                visit(number, batch[next]);
            }
            lane.next = next;
            if (next < size) return true;
        } while (lane.fill());
        define_until(lane, 0);
        return false;
    }

    // Hands out the definitions that come before the lane's event `place`.
    [[gnu::always_inline]] void define_until(Lane& lane, size_t place) {
        const std::vector<LaneReader::Definitions::Run>& runs = lane.reader.definitions().runs;
        if (lane.next_run < runs.size() && runs[lane.next_run].before <= place) define_run(lane);
    }
    [[gnu::noinline]] void define_run(Lane& lane) {
        const LaneReader::Definitions& all = lane.reader.definitions();
        const size_t end = all.runs[lane.next_run++].end;
        context_.on_nodes(std::span(all.nodes).subspan(lane.next_node), end - lane.next_node);
        lane.next_node = end;
    }

    ReadContext context_;
    std::deque<Lane> lanes_;
    std::priority_queue<Place> waiting_;
    uint64_t run_until_ = 0;  // the greatest key up to which events were visited
    uint64_t late_ = 0;
};

}  // namespace memtrace::analyzer
