// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/live_dump.h"

#include <algorithm>

#include "analyzer/reader/dump_follower.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/reader/moment.h"
#include "analyzer/reader/past.h"
#include "analyzer/replay/load.h"
#include "analyzer/replay/replay.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t newest_left_ns = 200'000'000;  // for the next look
constexpr uint64_t anew_share = 20;  // A whole reading takes no more than this part of the time.

}  // namespace

struct LiveDump::Reading {
    explicit Reading(const std::string& path)
        : file(path, problems),
          follower(file, problems),
          replay(file.header(), problems),
          stream(
              file, {}, problems, [](uint64_t) {},
              [this](const Node& node) { replay.define_node(node); }) {
        refuse_compacted(file, "only memtrace-report reads it: its program has ended");
        stream.set_grows(true);
    }

    void look() {
        const Moment moment = Moment::now();
        runs = file.is_being_written();
        follower.look();
        for (; lanes < follower.lanes().size(); ++lanes) stream.add_lane(follower.lanes()[lanes]);
        if (!runs) stream.set_grows(false);
        run_until(0);  // the records about the process, which have the time on other clocks
        const std::vector<Clock>& anchors = replay.clock().anchors();
        if (anchors.empty()) return;
        now = moment.record(file.header(), anchors.front());
        TickClock clock = clock_now();
        now_ns = clock.ns(now.time);
        run_until(runs ? last_key(clock.first_tick_at(now_ns - std::min(now_ns, newest_left_ns)))
                       : ~uint64_t{0});
    }

    TickClock clock_now() const {
        TickClock clock = replay.clock();
        clock.add_anchor(now);
        clock.settle();
        return clock;
    }

    void run_until(uint64_t key) {
        stream.run_until(
            key, [this](size_t lane, const Event& event) { replay.take(lane, event); },
            [this](const Event& event, bool has_block)
                __attribute__((always_inline)) { replay.soon(event, has_block); });
    }

    // True if events came so late that blocks may have been taken for others. The rings of such a
    // dump lie in memory of the program, and a thread writes when its ring is full.
    bool is_out_of_order() const { return stream.late() > 0 && has_private_rings(); }
    bool has_private_rings() const { return (file.header().features & feature_private_rings) != 0; }

    Problems problems;
    DumpFile file;
    DumpFollower follower;
    Replay replay;
    EventStream stream;
    size_t lanes = 0;
    bool runs = true;
    Clock now;
    uint64_t now_ns = 0;
};

LiveDump::LiveDump(std::string path) : path_(std::move(path)) { read_anew(); }
LiveDump::~LiveDump() = default;

void LiveDump::read_anew() {
    const uint64_t begin = Moment::now().monotonic_ns;
    reading_ = std::make_unique<Reading>(path_);
    reading_->look();
    const uint64_t end = Moment::now().monotonic_ns;
    anew_next_ns_ = end + (end - begin) * anew_share;
}

void LiveDump::look() {
    reading_->look();
    if (!reading_->is_out_of_order()) return;
    if (!reading_->runs || Moment::now().monotonic_ns >= anew_next_ns_) read_anew();
}

bool LiveDump::is_running() const { return reading_->runs; }
bool LiveDump::lags() const { return reading_->runs && reading_->has_private_rings(); }

void LiveDump::for_each_space(const std::function<void(const SpaceCounter&, bool)>& each) const {
    Replay& replay = reading_->replay;
    replay.for_each_counter([&](const SpaceCounter& counter) {
        if (!counter.empty()) each(counter, replay.is_estimate(counter));
    });
}

const Model& LiveDump::so_far() const { return reading_->replay.so_far(); }
std::vector<RecordingGap> LiveDump::gaps() const {
    return reading_->replay.gaps().in_nanoseconds(reading_->clock_now());
}
uint64_t LiveDump::now_ns() const { return reading_->now_ns; }
uint64_t LiveDump::dump_bytes() const { return reading_->file.file_end_now(); }

Model LiveDump::finish() {
    Reading& reading = *reading_;
    reading.stream.set_grows(false);
    reading.run_until(reading.runs ? last_key(reading.now.time) : ~uint64_t{0});
    if (reading.runs) reading.replay.end_at(reading.now);
    Model model = finish_model(reading.replay, reading.file, reading.problems);
    model.capture.dump_bytes = dump_bytes();
    return model;
}

}  // namespace memtrace::analyzer
