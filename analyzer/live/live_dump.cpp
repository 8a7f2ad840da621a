// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/live_dump.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "analyzer/compact/compact_run.h"
#include "analyzer/compact/replay_state.h"
#include "analyzer/reader/dump_follower.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/reader/moment.h"
#include "analyzer/reader/past.h"
#include "analyzer/replay/load.h"
#include "analyzer/replay/replay.h"
#include "memtrace/dump/control.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t newest_left_ns = 200'000'000;  // for the next look
constexpr uint64_t anew_share = 20;  // A whole reading takes no more than this part of the time.

// The events of a dump, from its beginning or from what it was compacted to.
class Engine {
public:
    virtual ~Engine() = default;
    virtual Replay& replay() = 0;
    virtual void add_lane(const LaneSections& lane) = 0;
    virtual void set_grows(bool grows) = 0;
    virtual void run_until(uint64_t key) = 0;
    virtual uint64_t late() const = 0;
    virtual Model finish() = 0;
};

class WholeRun : public Engine {
public:
    WholeRun(const DumpFile& file, Problems& problems)
        : file_(file),
          problems_(problems),
          replay_(file.header(), problems),
          stream_(
              file, {}, problems, [](uint64_t) {},
              [this](std::span<const Node> nodes, size_t count) {
                  replay_.define_nodes(nodes, count);
              }) {}

    Replay& replay() override { return replay_; }
    void add_lane(const LaneSections& lane) override { stream_.add_lane(lane); }
    void set_grows(bool grows) override { stream_.set_grows(grows); }
    void run_until(uint64_t key) override {
        stream_.run_until(
            key, [this](size_t lane, const Event& event) { replay_.take(lane, event); },
            [this](const Event& event, bool has_block)
                __attribute__((always_inline)) { replay_.soon(event, has_block); });
    }
    uint64_t late() const override { return stream_.late(); }
    Model finish() override { return finish_model(replay_, file_, problems_); }

private:
    const DumpFile& file_;
    Problems& problems_;
    Replay replay_;
    EventStream stream_;
};

class RunFromPast : public Engine {
public:
    RunFromPast(const DumpFile& file, Problems& problems, const Past& past)
        : run_(file, no_lanes_, problems, CompactRun::plan_of(past, file)) {
        run_.restore(past);
    }

    Replay& replay() override { return run_.replay(); }
    void add_lane(const LaneSections& lane) override { run_.add_lane(lane); }
    void set_grows(bool grows) override { run_.set_grows(grows); }
    void run_until(uint64_t key) override { run_.replay_until(key); }
    uint64_t late() const override { return run_.late(); }
    Model finish() override { return run_.finish(); }

private:
    const DumpIndex no_lanes_{};
    CompactRun run_;
};

}  // namespace

struct LiveDump::Reading {
    explicit Reading(const std::string& path)
        : file(path, problems),
          past_at(newest_past(file)),
          past(read_newest_past(file, problems)),
          follower(file, problems, past ? &*past : nullptr) {
        if (!past && !is_out_of_date())
            refuse_compacted(file, "only memtrace-report reads it: its program has ended");
        if (past) engine = std::make_unique<RunFromPast>(file, problems, *past);
        else engine = std::make_unique<WholeRun>(file, problems);
        engine->set_grows(true);
    }

    void look() {
        const uint64_t known = until;
        read_on();
        follow_compaction(known);
    }

    // A compaction does no harm if all that is gone was replayed before this look.
    void follow_compaction(uint64_t known) {
        const uint64_t at = newest_past(file);
        if (at == past_at) return;
        file.refresh();
        std::optional<Past> fresh = read_newest_past(file, problems);
        if (!fresh || fresh->key > known) return;  // is_out_of_date()
        past = std::move(fresh);
        past_at = at;
    }

    void read_on() {
        const Moment moment = Moment::now();
        runs = file.is_being_written();
        follower.look();
        for (; lanes < follower.lanes().size(); ++lanes) engine->add_lane(follower.lanes()[lanes]);
        if (!runs) engine->set_grows(false);
        if (!runs) return read_to_end();
        engine->run_until(0);  // the records about the process, which have the time on other clocks
        const std::vector<Clock>& anchors = engine->replay().clock().anchors();
        if (anchors.empty()) return;
        now = moment.record(file.header(), anchors.front());
        TickClock clock = clock_now();
        now_ns = clock.ns(now.time);
        until = last_key(clock.first_tick_at(now_ns - std::min(now_ns, newest_left_ns)));
        engine->run_until(until);
    }

    // Of a program that has ended, the time stands still where its recording ends.
    void read_to_end() {
        until = ~uint64_t{0};
        engine->run_until(until);
        now = {};
        // Whoever has watched it knows that it has run until then.
        now_ns = std::max(now_ns, clock_now().ns(ReplayState::last_time(engine->replay())));
    }

    TickClock clock_now() const {
        TickClock clock = engine->replay().clock();
        if (runs) clock.add_anchor(now);
        clock.settle();
        return clock;
    }

    // True if events came so late that blocks may have been taken for others. The rings of such a
    // dump lie in memory of the program, and a thread writes when its ring is full.
    bool is_out_of_order() const { return engine->late() > 0 && has_private_rings(); }
    bool has_private_rings() const { return (file.header().features & feature_private_rings) != 0; }
    // True if the dump was compacted meanwhile, so that parts of it may be gone that were not read.
    bool is_out_of_date() const { return newest_past(file) != past_at; }

    Problems problems;
    DumpFile file;
    uint64_t past_at;  // the section `past`, bytes from the start of the file; 0: none
    std::optional<Past> past;
    DumpFollower follower;
    std::unique_ptr<Engine> engine;
    size_t lanes = 0;
    uint64_t until = 0;  // the key of the newest events that were replayed
    bool runs = true;
    Clock now;
    uint64_t now_ns = 0;
};

LiveDump::LiveDump(std::string path) : path_(std::move(path)) { read_anew(); }
LiveDump::~LiveDump() = default;

void LiveDump::read_anew() {
    const uint64_t begin = Moment::now().monotonic_ns;
    reading_ = while_compacted(path_, [this] {
        auto reading = std::make_unique<Reading>(path_);
        reading->look();
        return reading;
    });
    const uint64_t end = Moment::now().monotonic_ns;
    anew_next_ns_ = end + (end - begin) * anew_share;
}

void LiveDump::look() {
    reading_->look();
    if (reading_->is_out_of_date()) return read_anew();
    if (!reading_->is_out_of_order()) return;
    if (!reading_->runs || Moment::now().monotonic_ns >= anew_next_ns_) read_anew();
}

bool LiveDump::is_running() const { return reading_->runs; }
bool LiveDump::lags() const { return reading_->runs && reading_->has_private_rings(); }

void LiveDump::for_each_space(const std::function<void(const SpaceCounter&, bool)>& each) const {
    Replay& replay = reading_->engine->replay();
    replay.for_each_counter([&](const SpaceCounter& counter) {
        if (!counter.empty()) each(counter, replay.is_estimate(counter));
    });
}

const Model& LiveDump::so_far() const { return reading_->engine->replay().so_far(); }
std::vector<RecordingGap> LiveDump::gaps() const {
    return reading_->engine->replay().gaps().in_nanoseconds(reading_->clock_now());
}
uint64_t LiveDump::now_ns() const { return reading_->now_ns; }
// What was given back meanwhile is not in the section that this reading has begun from.
uint64_t LiveDump::dump_bytes() const {
    const DumpFile& file = reading_->file;
    Control control;
    std::memcpy(&control, file.data() + control_offset, sizeof control);
    const uint64_t given_back = uint64_t{asked(control.pages_given_back)} * page_bytes;
    const uint64_t end = file.file_end_now();
    return end - std::min(end, std::max(given_back, gone_bytes(reading_->past)));
}

Model LiveDump::finish() {
    Reading& reading = *reading_;
    reading.engine->set_grows(false);
    reading.engine->run_until(reading.runs ? last_key(reading.now.time) : ~uint64_t{0});
    if (reading.runs) reading.engine->replay().end_at(reading.now);
    Model model = reading.engine->finish();
    model.capture.dump_bytes = dump_bytes();
    return model;
}

}  // namespace memtrace::analyzer
