// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/compact_run.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/compact/replay_state.h"
#include "analyzer/phases/phase_list.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/load.h"
#include "analyzer/replay/run_slices.h"

namespace memtrace::analyzer {
namespace {

void state_of_plan(auto& plan, auto& each) {
    SliceOptions& slices = plan.slices;
    LoopTurns turns = slices.loop ? *slices.loop : LoopTurns{};
    bool has_loop = slices.loop != nullptr;
    each(slices.step, slices.slices_max, slices.covers_run, has_loop, turns, plan.loops);
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
              [this](const Node& node) {
                  if (!skips) replay.define_node(node);
              }),
          needed(sections.lanes.size(), UINT64_MAX) {
        replay.keep_history(history);
    }

    std::unique_ptr<PhaseObserver> make_phases() {
        auto made = std::make_unique<AllPhases>();
        phases = made.get();
        return made;
    }

    void take(size_t lane, const Event& event) {
        slicer.before(lane, event);
        replay.take(lane, event);
        slicer.after(event);
    }

    static void state(auto& self, auto& each) {
        ReplayState::state(self.replay, each);
        each(*self.phases, self.history, self.slicer);
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
    std::vector<uint64_t> needed;  // by lane, in ticks
    bool skips = false;            // The events are known.
    uint64_t read = 0;
};

CompactRun::CompactRun(const DumpFile& file, const DumpIndex& index, Problems& problems,
                       CompactPlan plan)
    : parts_(std::make_unique<Parts>(file, index, problems, std::move(plan))) {}

CompactRun::~CompactRun() = default;

void CompactRun::set_half() { analyzer::set_half(parts_->index, parts_->replay); }

void CompactRun::replay_until(uint64_t key, const Progress& progress) {
    Parts& parts = *parts_;
    const auto look = [&](size_t lane, const auto& record) {
        if constexpr (requires {
                          record.duration;
                          record.old_address;
                      }) {
            const uint64_t end = record.time + record.duration;
            if (end > key / 2) parts.needed[lane] = std::min(parts.needed[lane], record.time);
        }
    };
    parts.stream.run_until(
        key,
        [&](size_t lane, const Event& event) {
            if (std::holds_alternative<const AnyRecord*>(event.record))
                visit_record(event, [&](const auto& record) { look(lane, record); });
            parts.take(lane, event);
        },
        [](const Event&, bool) {});
    if (progress) progress(parts.read, parts.file.size());
}

uint64_t CompactRun::needed_since(size_t lane) const { return parts_->needed[lane]; }

std::string CompactRun::store() {
    ArchiveWriter writer;
    uint64_t version = archive_version;
    writer(version);
    state_of_plan(parts_->plan, writer);
    writer(*parts_);
    return writer.take();
}

CompactPlan CompactRun::plan_of(std::string_view state) {
    ArchiveReader reader(state);
    return read_plan(reader);
}

void CompactRun::restore(std::string_view state) {
    Parts& parts = *parts_;
    ArchiveReader reader(state);
    read_plan(reader);  // The constructor has had it.
    reader(parts);
    reader.end();
    ArchiveReader::require(ReplayState::is_sound(parts.replay, parts.history),
                           "a block in it has no call site");
    // What is left begins with whole chunks, so some of their events are known.
    parts.skips = true;
    parts.stream.run_until(
        parts.index.past->key, [](size_t, const Event&) {}, [](const Event&, bool) {});
    parts.skips = false;
}

Model CompactRun::finish(const Progress& progress) {
    Parts& parts = *parts_;
    replay_until(~uint64_t{0}, progress);
    parts.replay.set_slices(parts.slicer.finish());
    check_ring_ends(parts.file, parts.index, parts.replay, parts.problems);
    Model model = finish_model(parts.replay, parts.file, parts.problems);
    model.loops = std::move(parts.plan.loops);
    return model;
}

}  // namespace memtrace::analyzer
