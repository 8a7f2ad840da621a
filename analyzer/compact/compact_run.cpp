// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/compact_run.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/compact/half_of_histories.h"
#include "analyzer/compact/replay_state.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/load.h"

namespace memtrace::analyzer {
namespace {

void state_of_plan(auto& plan, auto& each) {
    SliceOptions& slices = plan.slices;
    LoopTurns turns = slices.loop ? *slices.loop : LoopTurns{};
    bool has_loop = slices.loop != nullptr;
    each(slices.step, slices.slices_max, slices.covers_run, slices.covers_end, has_loop, turns,
         plan.loops, plan.has_open_end);
    if (has_loop && !slices.loop) slices.loop = std::make_shared<LoopTurns>(std::move(turns));
}

CompactPlan read_plan(ArchiveReader& reader) {
    uint64_t version = 0;
    reader(version);
    ArchiveReader::require(version == archive_version, "another version of memtrace wrote it");
    CompactPlan plan;
    state_of_plan(plan, reader);
    return plan;
}

// Where a run is in a lane.
class Lane {
public:
    explicit Lane(const LaneSections& sections)
        : known_{sections.known_time, sections.known_count}, left_(known_) {
        // The records about the process come first, so whoever knows any knows them all.
        if (sections.lane == lane_none && known_.count != 0) left_ = {UINT64_MAX, 0};
    }

    // Returns true if the event is known, and counts it otherwise.
    bool skips(uint64_t time) {
        if (time < left_.time) return true;
        if (time == left_.time && left_.count > 0) {
            left_.count -= 1;
            return true;
        }
        left_ = {};
        if (time != known_.time) known_ = {time, 0};
        known_.count += 1;
        return false;
    }

    // Remembers records that have a second moment.
    void look(const AnyRecord& record) {
        if (const auto* resize = std::get_if<Resize>(&record)) add(*resize);
        if (const auto* remap = std::get_if<Remap>(&record)) add(*remap);
    }

    KnownEvents known() const { return known_; }
    uint64_t needed_since() const {
        uint64_t since = UINT64_MAX;
        for (const Span& span : spans_) {
            if (span.end >= known_.time) since = std::min(since, span.begin);
        }
        return since;
    }

private:
    struct Span {
        uint64_t begin;
        uint64_t end;
    };

    void add(const auto& record) {
        std::erase_if(spans_, [this](const Span& span) { return span.end < known_.time; });
        spans_.push_back({record.time, record.time + record.duration});
    }

    KnownEvents known_;
    KnownEvents left_;  // of what is known, what the lane still has before it
    std::vector<Span> spans_;
};

}  // namespace

struct CompactRun::Parts {
    Parts(const DumpFile& dump, const DumpIndex& sections, Problems& found, CompactPlan cut)
        : file(dump),
          index(sections),
          problems(found),
          plan(std::move(cut)),
          replay(dump.header(), found, make_phases()),
          slicer(plan.slices, history,
                 {[this](uint32_t place, std::span<const HeldChange> since) {
                      replay.end_slice(place, since);
                  },
                  [this] { replay.count_births(); }},
                 replay.nodes()),
          stream(
              dump, sections, found, [this](uint64_t bytes) { read += bytes; },
              [this](std::span<const Node> nodes, size_t count) {
                  for (size_t i = 0; i < count; ++i)
                      if (!knows(nodes[i])) replay.define_nodes(nodes.subspan(i), 1);
              }) {
        replay.keep_history(history);
        for (const LaneSections& lane : sections.lanes) lanes.push_back(Lane(lane));
    }

    std::unique_ptr<PhaseObserver> make_phases() {
        auto made = std::make_unique<AllPhases>();
        phases = made.get();
        return made;
    }

    // What is left of a lane begins with whole chunks, so some of its events are known. So are
    // definitions; their numbers are given once.
    bool knows(const Node& node) const {
        const StackNodes& nodes = replay.so_far().stacks.nodes;
        return node.id < known_nodes && nodes.location(nodes.location_of(node.id)).defined;
    }

    void take(size_t number, const Event& event) {
        Lane& lane = lanes[number];
        if (const auto* other = std::get_if<const AnyRecord*>(&event.record)) lane.look(**other);
        if (lane.skips(event.key / 2)) return;
        left_out.see(number, event);
        slicer.before(number, event);
        if (see) see(number, event, slicer.loop_step());
        replay.take(number, event);
        slicer.after(event);
    }

    static void state(auto& self, auto& each) {
        ReplayState::state(self.replay, each);
        each(*self.phases, self.history, self.slicer, self.left_out);
    }

    const DumpFile& file;
    const DumpIndex& index;
    Problems& problems;
    CompactPlan plan;
    AllPhases* phases = nullptr;
    Replay replay;
    RunHistory history;
    RunSlicer slicer;
    EventStream stream;
    std::vector<Lane> lanes;
    ScopedBlocks left_out;
    See see;
    uint32_t known_nodes = 0;  // Stacks with smaller numbers may be known.
    uint64_t read = 0;
};

CompactRun::CompactRun(const DumpFile& file, const DumpIndex& index, Problems& problems,
                       CompactPlan plan)
    : parts_(std::make_unique<Parts>(file, index, problems, std::move(plan))) {}

CompactRun::~CompactRun() = default;

void CompactRun::set_half() { analyzer::set_half(parts_->index, parts_->replay); }

void CompactRun::add_lane(const LaneSections& lane) {
    parts_->lanes.push_back(Lane(lane));
    parts_->stream.add_lane(lane);
}

void CompactRun::set_grows(bool grows) { parts_->stream.set_grows(grows); }

void CompactRun::replay_until(uint64_t key, const Progress& progress) {
    Parts& parts = *parts_;
    parts.stream.run_until(
        key, [&parts](size_t lane, const Event& event) { parts.take(lane, event); },
        [](const Event&, bool) {});
    if (progress) progress(parts.read, parts.file.size());
}

void CompactRun::set_look(See see) { parts_->see = std::move(see); }
Replay& CompactRun::replay() { return parts_->replay; }

TickClock CompactRun::whole_clock() {
    TickClock clock = parts_->replay.clock();
    const TickClock left = look_at_clock(parts_->file, parts_->index);
    for (const Clock& anchor : left.anchors()) clock.add_anchor(anchor);
    clock.settle();
    return clock;
}
AllPhases& CompactRun::phases() { return *parts_->phases; }
const RunSlicer& CompactRun::slicer() const { return parts_->slicer; }
const CompactPlan& CompactRun::plan() const { return parts_->plan; }
std::unique_ptr<PhaseObserver> CompactRun::observe(std::unique_ptr<PhaseObserver> phases) {
    parts_->phases = nullptr;
    return ReplayState::observe(parts_->replay, std::move(phases));
}
uint64_t CompactRun::late() const { return parts_->stream.late(); }
const ScopedBlocks& CompactRun::left_out() const { return parts_->left_out; }
KnownEvents CompactRun::known(size_t lane) const { return parts_->lanes[lane].known(); }
uint64_t CompactRun::needed_since(size_t lane) const { return parts_->lanes[lane].needed_since(); }

PackedState CompactRun::store() {
    parts_->history.pack();
    StatePacker packer;
    ArchiveWriter writer([&packer](std::string_view piece) { packer.add(piece); });
    uint64_t version = archive_version;
    writer(version);
    state_of_plan(parts_->plan, writer);
    writer(*parts_);
    writer.end();
    return packer.finish();
}

CompactPlan CompactRun::plan_of(const Past& past, const DumpFile& file) {
    StateUnpacker state(past, file);
    ArchiveReader reader(past.raw_bytes, [&state] { return state.next(); });
    return read_plan(reader);
}

void CompactRun::restore(const Past& past) {
    Parts& parts = *parts_;
    StateUnpacker state(past, parts.file);
    ArchiveReader reader(past.raw_bytes, [&state] { return state.next(); });
    read_plan(reader);  // The constructor has had it.
    reader(parts);
    reader.end();
    state.end();
    ArchiveReader::require(ReplayState::is_sound(parts.replay, parts.history),
                           "a block in it has no call site");
    parts.known_nodes = static_cast<uint32_t>(parts.replay.so_far().stacks.nodes.size());
}

Model CompactRun::finish() {
    Parts& parts = *parts_;
    parts.replay.set_slices(parts.slicer.finish());
    check_ring_ends(parts.file, parts.index, parts.replay, parts.problems);
    Model model = finish_model(parts.replay, parts.file, parts.problems);
    if (parts.plan.has_open_end) take_half_from_histories(model);
    model.loops = std::move(parts.plan.loops);
    return model;
}

}  // namespace memtrace::analyzer
